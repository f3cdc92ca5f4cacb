/** An engine of the operator that the server cannot use; the message names its setting and what to do. */
export class UnreachableEngineError extends Error {
  override readonly name = 'UnreachableEngineError'
}

/** How an engine reports that it answers, but refuses this user or database. */
interface Refusals {
  readonly user: readonly string[]
  readonly database: readonly string[]
}

interface EngineAddress {
  /** E.g. `PostgreSQL`. */
  readonly engine: string
  readonly setting: `TOUCHSTONE_${string}`
  /** Value of the setting. Its password is never printed. */
  readonly url: string
  readonly refusals: Refusals
}

/** Codes of Node for hosts that cannot be reached, with what to say. */
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening there. Start it, or correct the address',
  ENOTFOUND: 'the name of the host is not known. Correct the address',
  EAI_AGAIN: 'the name of the host could not be looked up. Check the network and the address',
  EHOSTUNREACH: 'there is no route to the host. Check the network and the address',
  ENETUNREACH: 'there is no route to the host. Check the network and the address',
  ETIMEDOUT: 'the host did not answer. Check the address, the network and the firewall',
  ECONNRESET: 'the connection was closed. Check that the address and port are those of this engine',
}

/** Wraps the failure of the first connection to an engine. */
export function describeUnreachable(address: EngineAddress, cause: unknown): UnreachableEngineError {
  const { engine, setting, url, refusals } = address
  const { host, username, pathname } = new URL(url)
  const code = readCode(cause)
  const say = (text: string) => new UnreachableEngineError(text, { cause })
  if (refusals.user.includes(code)) {
    return say(`${engine} at ${host} refused the user "${username}". Correct the user and password in ${setting}.`)
  }
  if (refusals.database.includes(code)) {
    return say(`${engine} at ${host} has no database "${pathname.slice(1)}". Create it, or correct ${setting}.`)
  }
  return say(`${engine} at ${host} cannot be used: ${describeNetworkFailure(cause)} (${setting}).`)
}

/** Why a host was not reached, with what to do. */
export function describeNetworkFailure(cause: unknown): string {
  const [code, message] = [readCode(cause), cause instanceof Error ? cause.message : String(cause)]
  const network = NETWORK[code] ?? (/time-?out/i.test(message) ? NETWORK.ETIMEDOUT : undefined)
  return network ?? `${firstLine(message).replace(/\.$/, '')}. Check the address`
}

/** The code of an error or of the first of its causes that has one. */
function readCode(error: unknown): string {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    const { code } = cause as { code?: unknown }
    if (typeof code === 'string') return code
  }
  return ''
}

const firstLine = (text: string) => (text.split('\n', 1)[0] ?? '').slice(0, 300)
