export { parseAllowed, parseNetworks } from './allowed.ts'
export { type Outbound, type OutboundAnswer, type OutboundRequest, openOutbound } from './open-outbound.ts'
export { OutboundError } from './outbound-error.ts'
