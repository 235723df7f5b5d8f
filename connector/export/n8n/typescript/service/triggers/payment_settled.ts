import { fires as passes } from '../filters';
import type { Inputs, Row } from '../shapes';

/** Only settled is paid: executed is not. */
export function fires(event: string, data: Row, inputs: Inputs): boolean {
	return data.status === 'settled' && passes(event, data, inputs);
}
