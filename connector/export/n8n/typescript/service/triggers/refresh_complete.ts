export { fires } from '../filters';
