import type { Database, Relational } from '../../storage/relational/port.ts'
import { forgetServerSecret, getServerSecret } from '../../storage/relational/server-secret.ts'

const SECRET = 'set-up code'

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789' // without characters that are easily confused
const GROUPS = 4
const GROUP_LENGTH = 4

/**
 * The code that the server prints for its set-up: four groups of four characters, 79 bits, short enough to copy from a
 * terminal. All processes of an installation print the same one, so that any of them accepts it, until it is used.
 */
export async function readSetupCode(relational: Relational): Promise<string> {
  const secret = await getServerSecret(relational, SECRET)
  let rest = BigInt(`0x${secret.toString('hex')}`)
  const next = () => {
    const character = ALPHABET[Number(rest % BigInt(ALPHABET.length))]
    rest /= BigInt(ALPHABET.length)
    return character
  }
  return Array.from({ length: GROUPS }, () => Array.from({ length: GROUP_LENGTH }, next).join('')).join('-')
}

/** After the set-up; a later code, for an installation that no one can enter any more, is another one. */
export const forgetSetupCode = (tx: Database): Promise<void> => forgetServerSecret(tx, SECRET)
