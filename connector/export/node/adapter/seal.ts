/** Encrypts a secret that a platform keeps, with a key made of the API key: whoever has the one has the other. */

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function seal(secret: string, apiKey: string): string {
	const nonce = randomBytes(NONCE_BYTES);
	const cipher = createCipheriv(ALGORITHM, keyOf(apiKey), nonce);
	const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
	return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64');
}

/** Undefined where it was sealed with another API key, or is no sealed text. */
export function unseal(sealed: string, apiKey: string): string | undefined {
	const bytes = Buffer.from(sealed, 'base64');
	const [nonce, tag] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)];
	try {
		const decipher = createDecipheriv(ALGORITHM, keyOf(apiKey), nonce).setAuthTag(tag);
		const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
		return text.toString('utf8');
	} catch {
		return undefined;
	}
}

function keyOf(apiKey: string): Buffer {
	return createHash('sha256').update(`kontor/${apiKey}`).digest();
}
