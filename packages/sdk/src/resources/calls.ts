import type { Transport } from '../transport/transport.ts'

/**
 * A noun's calls over one transport, which is private so that printing a client can never print its key.
 *
 * `Client` takes over the methods of its nouns, so a noun keeps no state and has no private members of its own: what a
 * method needs besides the transport is a function below the class.
 */
export abstract class Calls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  protected get transport(): Transport {
    return this.#transport
  }
}
