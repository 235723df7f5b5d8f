/** Base64: how many bytes it holds, and which. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Uint8Array(128);
for (const [value, sign] of [...ALPHABET].entries()) VALUES[sign.charCodeAt(0)] = value;

export function bytesIn(base64: string): number {
	return (base64.length * 3) / 4 - (base64.length - base64.replace(/=+$/, '').length);
}

export function bytesOf(base64: string): Uint8Array {
	const bytes = new Uint8Array(bytesIn(base64));
	const value = (at: number): number => VALUES[base64.charCodeAt(at)] ?? 0;
	for (let [at, place] = [0, 0]; place < bytes.length; at += 4, place += 3) {
		const bits = (value(at) << 18) | (value(at + 1) << 12) | (value(at + 2) << 6) | value(at + 3);
		// What would stand behind the last byte is padding, and is not kept.
		bytes[place] = bits >> 16;
		bytes[place + 1] = bits >> 8;
		bytes[place + 2] = bits;
	}
	return bytes;
}
