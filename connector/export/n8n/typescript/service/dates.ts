/** Days and points in time. A date-time without a zone is read in Europe/Berlin. */

const DAY = /^(\d{4})-(\d{2})-(\d{2})/;
const INSTANT =
	/^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?([zZ]|[+-]\d{2}(?::?\d{2})?)?)?$/;
const HOUR = 3_600_000;
const MINUTE = 60_000;
const DAY_LENGTH = 24 * HOUR;

/** A day as YYYY-MM-DD: as it is written, whatever time stands behind it. Undefined when there is no such day. */
export function day(value: unknown): string | undefined {
	const text = written(value);
	const found = text === undefined ? null : DAY.exec(text);
	if (!found || (text!.length > 10 && !INSTANT.test(text!))) return undefined;
	const [shown, year, month, date] = found;
	const moment = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)));
	return moment.toISOString().slice(0, 10) === shown ? shown : undefined;
}

/** A point in time as RFC 3339 with its offset; undefined when it is none. */
export function instant(value: unknown): string | undefined {
	const parts = read(value);
	if (!parts) return undefined;
	const { wall, offset, fraction } = parts;
	if (offset !== undefined) return format(wall, offset, fraction);
	const moment = wall - berlinOffset(wall - 2 * HOUR);
	const there = berlinOffset(moment);
	return format(moment + there, there, fraction);
}

/** A point in time in milliseconds; undefined when it is none. */
export function milliseconds(value: unknown): number | undefined {
	const parts = read(value);
	if (!parts) return undefined;
	return parts.wall - (parts.offset ?? berlinOffset(parts.wall - 2 * HOUR));
}

/** The day on the clocks of Europe/Berlin. */
export function berlinDay(moment: number): string {
	return new Date(moment + berlinOffset(moment)).toISOString().slice(0, 10);
}

export function berlinDayOf(value: unknown): string | undefined {
	const moment = milliseconds(value);
	return moment === undefined ? undefined : berlinDay(moment);
}

/** How many days lie between two days. */
export function daysBetween(first: string, last: string): number {
	return Math.round((Date.parse(`${last}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / DAY_LENGTH);
}

export function daysBefore(last: string, days: number): string {
	return new Date(Date.parse(`${last}T00:00:00Z`) - days * DAY_LENGTH).toISOString().slice(0, 10);
}

/** A text as it is; a date of JavaScript or Luxon as the text that it shows. */
function written(value: unknown): string | undefined {
	if (typeof value === 'string') return value.trim();
	if (value instanceof Date) return value.toISOString();
	const iso = (value as { toISO?: () => string } | null)?.toISO?.();
	return typeof iso === 'string' ? iso : undefined;
}

function read(value: unknown): { wall: number; offset?: number; fraction: string } | undefined {
	const text = written(value);
	const found = text === undefined ? null : INSTANT.exec(text);
	if (!found || day(text) === undefined) return undefined;
	const [, year, month, date, hour = '00', minute = '00', second = '00', fraction = '', zone] = found;
	if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
	const clock = [Number(hour), Number(minute), Number(second)] as const;
	const wall = Date.UTC(Number(year), Number(month) - 1, Number(date), ...clock);
	return { wall, offset: offsetOf(zone), fraction: fraction.slice(0, 6).replace(/0+$/, '') };
}

function offsetOf(zone: string | undefined): number | undefined {
	if (zone === undefined) return undefined;
	if (zone === 'Z' || zone === 'z') return 0;
	const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
	const size = Number(digits.slice(0, 2)) * HOUR + Number(digits.slice(2)) * MINUTE;
	return zone.startsWith('-') ? -size : size;
}

function format(wall: number, offset: number, fraction: string): string {
	const shown = `${new Date(wall).toISOString().slice(0, 19)}${fraction ? `.${fraction.padEnd(6, '0')}` : ''}`;
	if (offset === 0) return `${shown}Z`;
	const size = Math.abs(offset);
	const [hours, minutes] = [Math.floor(size / HOUR), (size % HOUR) / MINUTE];
	const digits = `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
	return `${shown}${offset < 0 ? '-' : '+'}${digits}`;
}

const BERLIN = new Intl.DateTimeFormat('en-US', {
	timeZone: 'Europe/Berlin',
	hourCycle: 'h23',
	year: 'numeric',
	month: 'numeric',
	day: 'numeric',
	hour: 'numeric',
	minute: 'numeric',
	second: 'numeric',
});

function berlinOffset(moment: number): number {
	const parts = Object.fromEntries(BERLIN.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
	const wall = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
	return wall - Math.floor(moment / 1000) * 1000;
}
