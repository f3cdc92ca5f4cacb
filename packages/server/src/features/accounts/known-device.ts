import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { serverSecret } from '../../storage/relational/server-secret.ts'
import type { PersonRow } from '../../storage/relational/tables/accounts.ts'

/** A device is known for a year after its last sign-in. */
export const DEVICE_HOLDS_SECONDS = 365 * 24 * 3600

const ID_BYTES = 16
const TIME_BYTES = 6

type Person = Pick<PersonRow, 'id' | 'password_hash'>

/**
 * A token for the browser in which a person has just signed in. It opens nothing: it only shows later that this browser
 * once knew the password, so strangers who guess it cannot keep the person out. A new password ends it.
 */
export async function makeDeviceToken(deps: Pick<Deps, 'relational' | 'clock'>, person: Person): Promise<string> {
  const time = Buffer.alloc(TIME_BYTES)
  time.writeUIntBE(Math.floor(deps.clock() / 1000), 0, TIME_BYTES)
  const head = Buffer.concat([randomBytes(ID_BYTES), time])
  return Buffer.concat([head, await sign(deps, head, person)]).toString('base64url')
}

/** The id of the device that a token was made for; undefined when it is another person's, forged or too old. */
export async function readDeviceToken(
  deps: Pick<Deps, 'relational' | 'clock'>,
  token: string,
  person: Person,
): Promise<string | undefined> {
  const bytes = Buffer.from(token, 'base64url')
  const head = bytes.subarray(0, ID_BYTES + TIME_BYTES)
  const given = bytes.subarray(ID_BYTES + TIME_BYTES)
  const expected = await sign(deps, head, person)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  const ageSeconds = deps.clock() / 1000 - head.readUIntBE(ID_BYTES, TIME_BYTES)
  return ageSeconds < DEVICE_HOLDS_SECONDS ? head.toString('base64url', 0, ID_BYTES) : undefined
}

async function sign({ relational }: Pick<Deps, 'relational'>, head: Buffer, person: Person): Promise<Buffer> {
  const secret = await serverSecret(relational, 'known devices')
  return createHmac('sha256', secret).update(head).update(`${person.id} ${person.password_hash}`).digest()
}
