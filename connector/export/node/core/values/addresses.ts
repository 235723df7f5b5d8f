/** Addresses: whom they name, and whether the service can reach them from outside by https. */

/** By the registries of IANA for special purposes, carrier networks and multicast included. */
const NOT_PUBLIC_4 =
	'0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
	'192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4';
const NOT_PUBLIC_6 =
	'::/127 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 fc00::/7 fe80::/10 ff00::/8';
/** Addresses of version 6 that hold one of version 4 at their end. */
const HOLDS_4 = '::ffff:0:0/96 64:ff9b::/96';
const LOCAL_NAME = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|arpa|test|onion)$/;
/** Numbers in disguise: 2130706433, 0x7f.1, 127.1. */
const DISGUISED = /^[0-9a-fx.]*[0-9]$/;
const NAME = /^[a-z0-9._-]*\.[a-z0-9._-]*$/;
const PARTS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i;

/** The name and port in an address. */
export function hostOf(url: string): string {
	return url.trim().replace(/^https?:\/\/|[/?#].*$/gi, '');
}

/** What is wrong with an address, as the name of a sentence; undefined when nothing is. */
export function misfitOfUrl(text: string): string | undefined {
	const [, scheme = '', place = ''] = PARTS.exec(text) ?? [];
	const [, login, bracketed, name, port = ''] = /^(.*@)?(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/.exec(place) ?? [];
	const host = (bracketed ?? name ?? '').toLowerCase().replace(/\.+$/, '');
	const isReadable = bracketed === undefined ? name !== undefined : version6(host) !== undefined;
	if (!isReadable || !/^[0-9]*$/.test(port) || Number(port) > 65_535) return 'not_a_url';
	if (scheme.toLowerCase() !== 'https' || !host || /[^\x21-\x7e]|\\/.test(text)) return 'url_not_https';
	if (login !== undefined) return 'url_with_login';
	return isPublic(host) ? undefined : 'url_private';
}

function isPublic(host: string): boolean {
	const [four, six] = [version4(host), version6(host)];
	if (four !== undefined) return isPublic4(four);
	if (six === undefined) return NAME.test(host) && !DISGUISED.test(host) && !LOCAL_NAME.test(host);
	if (isIn(six, HOLDS_4, 128)) return isPublic4(six & 0xffff_ffffn);
	return !isIn(six, NOT_PUBLIC_6, 128);
}

function isPublic4(address: bigint): boolean {
	return !isIn(address, NOT_PUBLIC_4, 32);
}

function isIn(address: bigint, networks: string, bits: 32 | 128): boolean {
	return networks.split(' ').some((network) => {
		const [first = '', length] = network.split('/');
		const start = (bits === 32 ? version4(first) : version6(first)) ?? 0n;
		const rest = BigInt(bits - Number(length));
		return address >> rest === start >> rest;
	});
}

function version4(text: string): bigint | undefined {
	const parts = text.split('.');
	if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256)) {
		return undefined;
	}
	return parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

/** A zone behind a percent sign says nothing about the address. */
function version6(text: string): bigint | undefined {
	const [address = '', last = ''] = /^(.*:)([^:%]*)(?:%[^%]+)?$/.exec(text)?.slice(1) ?? [];
	const four = version4(last);
	const tail = four === undefined ? last : `${(four >> 16n).toString(16)}:${(four & 0xffffn).toString(16)}`;
	const halves = `${address}${tail}`.split('::').map((half) => (half ? half.split(':') : []));
	const [before = [], after] = halves;
	const missing = 8 - before.length - (after?.length ?? 0);
	if (halves.length > 2 || (after ? missing < 1 : missing !== 0)) return undefined;
	const parts = [...before, ...Array<string>(missing).fill('0'), ...(after ?? [])];
	if (!parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined;
	return parts.reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n);
}
