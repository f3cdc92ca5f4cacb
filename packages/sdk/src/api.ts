import type { ClientConfig } from './config/client-config.ts'
import { resolveConnection } from './config/connection.ts'
import { type AllCalls, gatherCalls } from './resources/all-calls.ts'
import { Calls } from './resources/calls.ts'
import { Transport } from './transport/transport.ts'

/**
 * Every call of `Client` but the recording of runs: for programs that ask, such as a page in a browser, and should not
 * carry the queue and its senders.
 */
// `gatherCalls` below supplies what the interface promises
export class ApiClient extends Calls {
  constructor(config: ClientConfig = {}) {
    super(new Transport(() => resolveConnection(config)))
  }
}

export interface ApiClient extends AllCalls {}

gatherCalls(ApiClient)
