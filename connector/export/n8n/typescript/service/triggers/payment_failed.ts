import { fires as passes } from '../filters';
import type { Inputs, Row } from '../shapes';

export function fires(event: string, data: Row, inputs: Inputs): boolean {
	return (data.status === 'failed' || data.status === 'rejected') && passes(event, data, inputs);
}
