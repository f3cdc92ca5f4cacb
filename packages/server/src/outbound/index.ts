export { OutboundError, parseAllowed, parseNetworks } from './allowed-targets.ts'
export { type Outbound, type OutboundAnswer, type OutboundRequest, openOutbound } from './open-outbound.ts'
