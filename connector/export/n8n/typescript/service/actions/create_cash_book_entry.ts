import { complaint } from '../complain';
import { Exact, ZERO } from '../exact';
import type { Inputs, Row } from '../shapes';

const ID = 'create_cash_book_entry';
const MOST_BYTES = 10 * 1024 * 1024;

/** How a file begins, and how its name ends. */
const KINDS: Array<{ name: string; beginnings: string[]; endings: string[] }> = [
	{ name: 'PDF', beginnings: ['255044462d'], endings: ['.pdf'] },
	{ name: 'PNG', beginnings: ['89504e470d0a1a0a'], endings: ['.png'] },
	{ name: 'JPEG', beginnings: ['ffd8ff'], endings: ['.jpg', '.jpeg'] },
	{ name: 'TIFF', beginnings: ['49492a00', '4d4d002a'], endings: ['.tif', '.tiff'] },
	{ name: 'GIF', beginnings: ['474946383761', '474946383961'], endings: ['.gif'] },
];

/** Refuses an entry whose amounts or images cannot be right, before it costs a credit. */
export function check(inputs: Inputs): void {
	checkAmounts(inputs.betrag as Exact, inputs.belegzeilen as Row[], String(inputs.waehrung));
	((inputs.belegbilder ?? []) as Row[]).forEach((image, place) =>
		checkImage(place, String(image.content), String(image.dateiname)),
	);
}

function checkAmounts(betrag: Exact, lines: Row[], currency: string): void {
	if (betrag.compare(ZERO) === 0) throw complaint(ID, 'amount_zero', 'betrag');
	const amounts = lines.map((line) => line.betrag as Exact);
	amounts.forEach((amount, place) => {
		const field = `belegzeilen[${place}].betrag`;
		if (amount.compare(ZERO) === 0) throw complaint(ID, 'line_zero', field, { line: place + 1 });
	});
	const sum = amounts.reduce((one, other) => one.plus(other), ZERO);
	const difference = sum.minus(betrag);
	if (difference.compare(ZERO) === 0) return;
	const found = { count: lines.length, sum, betrag, currency, difference: difference.abs() };
	const turned = amounts.findIndex((amount) => amount.plus(amount).compare(difference) === 0);
	if (turned >= 0) throw complaint(ID, 'sum_differs_by_sign', 'betrag', { ...found, line: turned + 1 });
	throw complaint(ID, 'sum_differs', 'betrag', found);
}

function checkImage(place: number, content: string, file: string): void {
	const named = { line: place + 1, file };
	const size = Math.floor((content.length * 3) / 4) - (/=*$/.exec(content)?.[0].length ?? 0);
	if (size > MOST_BYTES) {
		const values = { ...named, size, limit: MOST_BYTES, excess: size - MOST_BYTES };
		throw complaint(ID, 'image_too_large', `belegbilder[${place}].content`, values);
	}
	const beginning = Buffer.from(content.slice(0, 16), 'base64').toString('hex');
	const kind = KINDS.find(({ beginnings }) => beginnings.some((one) => beginning.startsWith(one)));
	if (!kind) {
		const kinds = KINDS.map(({ name }) => name).join(', ');
		throw complaint(ID, 'image_kind_unknown', `belegbilder[${place}].content`, { ...named, kinds });
	}
	if (!kind.endings.includes(`.${(file.split('.').pop() ?? '').toLowerCase()}`)) {
		const values = { ...named, kind: kind.name, endings: kind.endings.join(', ') };
		throw complaint(ID, 'image_name_misfits', `belegbilder[${place}].dateiname`, values);
	}
}
