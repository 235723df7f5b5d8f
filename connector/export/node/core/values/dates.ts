/** Days as `YYYY-MM-DD`, and points in time. What has no zone is read in Europe/Berlin. */

/** When inputs are read, in milliseconds since 1970, and the time zone of the flow where the platform tells it. */
export interface When {
	now: number;
	zone?: string;
}

const INSTANT =
	/^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?([zZ]|[+-]\d{2}(?::?\d{2})?)?)?$/;
const BERLIN = 'Europe/Berlin';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY_LENGTH = 24 * HOUR;

/** A day; of a point in time, the day in Berlin. Undefined when it is neither. */
export function day(value: unknown): string | undefined {
	return plainDay(value) ?? plainDay(berlinDayOf(value));
}

/** A day as it is written; of a point in time in UTC, the day in `zone`. Undefined when it is neither. */
export function writtenDay(value: unknown, zone = BERLIN): string | undefined {
	const parts = read(value);
	if (!parts) return undefined;
	return isoDay(parts.moment + (parts.offset === 0 ? offsetIn(zone, parts.moment) : parts.used));
}

/** The day that stands in a date or a date-time, whatever its zone. */
export function shownDay(value: unknown): string | undefined {
	const parts = read(value);
	return parts && isoDay(parts.moment + parts.used);
}

/** A plain date that exists, and nothing else. */
export function plainDay(value: unknown): string | undefined {
	const text = typeof value === 'string' ? value.trim() : '';
	if (text.startsWith('0000')) return undefined;
	const moment = Date.parse(`${text}T00:00:00Z`);
	return !Number.isNaN(moment) && isoDay(moment) === text ? text : undefined;
}

/** A point in time as RFC 3339 with the offset of Berlin; undefined when it is none. */
export function instant(value: unknown): string | undefined {
	const parts = read(value);
	if (!parts) return undefined;
	const offset = berlinOffset(parts.moment);
	const shown = isoSecond(parts.moment + offset);
	const fraction = parts.fraction ? `.${parts.fraction.padEnd(6, '0')}` : '';
	const [hours, minutes] = [Math.floor(offset / HOUR), (offset % HOUR) / MINUTE].map((one) =>
		String(one).padStart(2, '0'),
	);
	return `${shown}${fraction}+${hours}:${minutes}`;
}

/** A point in time in UTC, its fraction only where there is one. */
export function utc(value: unknown): string | undefined {
	const parts = read(value);
	return parts && `${isoSecond(parts.moment)}${parts.fraction && `.${parts.fraction}`}Z`;
}

/** A point in time in milliseconds; undefined when it is none. */
export function milliseconds(value: unknown): number | undefined {
	const parts = read(value);
	return parts && parts.moment + Number(parts.fraction.slice(0, 3).padEnd(3, '0'));
}

/** Names the warning about a time without a zone that the clocks of Berlin skip or show twice. */
export function clockChange(value: unknown): string | undefined {
	const parts = read(value);
	if (!parts || parts.offset !== undefined) return undefined;
	const { moment, used } = parts;
	if (berlinOffset(moment + HOUR) < used) return 'date_time.twice';
	return berlinOffset(moment) === used ? undefined : 'date_time.skipped';
}

/** The day on the clocks of Berlin. */
export function berlinDay(moment: number): string {
	return isoDay(moment + berlinOffset(moment));
}

export function berlinDayOf(value: unknown): string | undefined {
	const moment = milliseconds(value);
	return moment === undefined ? undefined : berlinDay(moment);
}

/** The time of day on the clocks of Berlin, to the second. */
export function berlinTime(moment: number): string {
	return new Date(moment + berlinOffset(moment)).toISOString().slice(11, 19);
}

/** How many days the second day lies behind the first. */
export function daysBetween(first: string, second: string): number {
	return Math.round((Date.parse(`${second}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / DAY_LENGTH);
}

export function daysBefore(last: string, days: number): string {
	return isoDay(Date.parse(`${last}T00:00:00Z`) - days * DAY_LENGTH);
}

function isoSecond(moment: number): string {
	return new Date(moment).toISOString().slice(0, 19);
}

function isoDay(moment: number): string {
	return new Date(moment).toISOString().slice(0, 10);
}

/** A text as it is; a date of JavaScript or Luxon as the text that it shows. */
function written(value: unknown): string {
	if (typeof value === 'string') return value.trim();
	if (Object.prototype.toString.call(value) === '[object Date]') {
		return Number.isNaN((value as Date).getTime()) ? '' : (value as Date).toISOString();
	}
	const iso: unknown = (value as { toISO?: () => unknown } | null | undefined)?.toISO?.();
	return typeof iso === 'string' ? iso : '';
}

/** The whole second, its fraction to the microsecond, the offset that was written, and the one that was used. */
function read(
	value: unknown,
): { moment: number; fraction: string; offset: number | undefined; used: number } | undefined {
	const match = INSTANT.exec(written(value));
	if (!match || plainDay(match[1]) === undefined) return undefined;
	const [, date, hour = '00', minute = '00', second = '00', fraction = '', zone] = match;
	const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second)];
	const offset = zone === undefined ? undefined : offsetOf(zone);
	// A leap second is read as the second that follows 59.
	if (hours > 23 || minutes > 59 || seconds > 60 || Number.isNaN(offset)) return undefined;
	const wall = Date.parse(`${date}T00:00:00Z`) + hours * HOUR + minutes * MINUTE + seconds * 1000;
	// Two hours back, the offset is the one before a change: a time that is skipped or repeated is read with that one.
	const used = offset ?? berlinOffset(wall - 2 * HOUR);
	return { moment: wall - used, fraction: fraction.slice(0, 6).replace(/0+$/, ''), offset, used };
}

/** Milliseconds; not a number when there is no such offset. */
function offsetOf(zone: string): number {
	const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
	const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
	if (hours > 23 || minutes > 59) return Number.NaN;
	const size = hours * HOUR + minutes * MINUTE;
	return zone.startsWith('-') ? -size : size;
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

function formatIn(timeZone: string): Intl.DateTimeFormat {
	const known = FORMATS.get(timeZone);
	if (known) return known;
	const numeric = 'numeric' as const;
	const time = { hourCycle: 'h23' as const, hour: numeric, minute: numeric, second: numeric };
	const day = { era: 'short' as const, year: numeric, month: numeric, day: numeric };
	const format = new Intl.DateTimeFormat('en-US', { timeZone, ...day, ...time });
	FORMATS.set(timeZone, format);
	return format;
}

/** When inputs are read, and where: a zone that nobody knows is left out. */
export function whenIn(now: number, zone: string): When {
	try {
		formatIn(zone);
		return { now, zone };
	} catch {
		return { now };
	}
}

function berlinOffset(moment: number): number {
	return offsetIn(BERLIN, moment);
}

function offsetIn(zone: string, moment: number): number {
	const parts = Object.fromEntries(formatIn(zone).formatToParts(moment).map(({ type, value }) => [type, value]));
	const [year, month, day, hour, minute, second] = ['year', 'month', 'day', 'hour', 'minute', 'second'].map((name) =>
		Number(parts[name]),
	) as [number, number, number, number, number, number];
	// Date.UTC would take the years of the first century for those of the last.
	const wall = new Date(Date.UTC(2000, month - 1, day, hour, minute, second));
	wall.setUTCFullYear(parts.era === 'BC' ? 1 - year : year);
	return wall.getTime() - Math.floor(moment / 1000) * 1000;
}
