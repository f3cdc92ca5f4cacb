import type { Transport } from '../transport/transport.ts'

/**
 * The calls of one noun over one transport. The transport is private, so that printing a client never prints its key.
 *
 * `Client` copies the methods of all nouns. Therefore a noun has no state and no private members: helpers of its methods
 * are functions below the class.
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

/** A class of calls, such as `RunCalls`. */
export type Noun = new (transport: Transport) => Calls

type Both<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never

/** The calls of several nouns on one object. */
export type CallsOf<Nouns extends readonly Noun[]> = Both<InstanceType<Nouns[number]>>

/** Copies the methods of the nouns to a class. They use the transport of its instances. */
export function copyCalls(target: { readonly prototype: Calls }, nouns: readonly Noun[]): void {
  for (const noun of nouns) {
    const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(noun.prototype)
    Object.defineProperties(target.prototype, methods)
  }
}
