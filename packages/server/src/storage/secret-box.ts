import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { parseSecretKeys, type SecretKey } from '../settings.ts'

/** A text that is encrypted with one of the secret keys of the server. */
export interface SealedText {
  readonly keyId: string
  /** Nonce, tag and ciphertext in base64. */
  readonly sealed: string
}

/** A secret cannot be stored or read; the message may be shown to admins. */
export class SecretBoxError extends Error {
  override readonly name = 'SecretBoxError'
}

/**
 * Encrypts secrets of users with a key that is not in the database: AES-256-GCM with the keys of TOUCHSTONE_SECRET_KEY, or
 * with the one in the file `secret-key` of the data directory, which is made with mode 600 when it is first needed.
 */
export interface SecretBox {
  /** @param owner  what the text belongs to; `open` needs the same. @throws SecretBoxError */
  seal(owner: string, text: string): SealedText
  /** @throws SecretBoxError when the key is missing, or the text was changed or belongs to another owner */
  open(owner: string, text: SealedText): string
  /** Whether texts of this key can be opened. */
  hasKey(keyId: string): boolean
  status(): { readonly source: 'environment' | 'file' | 'none'; readonly currentKeyId: string | null }
}

export type SecretBoxConfig = Pick<Config, 'secretKeys' | 'dataDir' | 'postgresUrl'>

const FILE = 'secret-key'
const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** @param link  gives a file a second name, and fails when the name is taken */
export function openSecretBox(config: SecretBoxConfig, link: Link = linkSync): SecretBox {
  let fromFile: readonly SecretKey[] | undefined

  /** The first one encrypts. Undefined when there is none yet. */
  function findKeys(): readonly SecretKey[] | undefined {
    if (config.secretKeys.length > 0) return config.secretKeys
    if (config.postgresUrl !== undefined) return undefined
    fromFile ??= readKeyFile(join(config.dataDir, FILE))
    return fromFile
  }

  function getKeys(): readonly SecretKey[] {
    const found = findKeys()
    if (found !== undefined) return found
    if (config.postgresUrl !== undefined) throw new SecretBoxError(REQUIRED)
    fromFile = makeKeyFile(join(config.dataDir, FILE), link)
    return fromFile
  }

  return {
    seal(owner, text) {
      const [current] = getKeys()
      if (current === undefined) throw new SecretBoxError(REQUIRED)
      return { keyId: current.id, sealed: encrypt(current.key, owner, text) }
    },
    open(owner, { keyId, sealed }) {
      const found = findKeys()?.find(({ id }) => id === keyId)
      if (found === undefined) throw new SecretBoxError(`This server does not have the secret key "${keyId}".`)
      return decrypt(found.key, owner, sealed)
    },
    hasKey: (keyId) => findKeys()?.some(({ id }) => id === keyId) ?? false,
    status() {
      const keys = findKeys()
      const source = keys === undefined ? 'none' : config.secretKeys.length > 0 ? 'environment' : 'file'
      return { source, currentKeyId: keys?.[0]?.id ?? null }
    },
  }
}

const REQUIRED =
  'This server cannot store keys of model providers and notification channels: with TOUCHSTONE_POSTGRES_URL, several processes may share the database, so ' +
  'all of them need the same secret key. Set TOUCHSTONE_SECRET_KEY to 32 random bytes in base64 (openssl rand -base64 32).'

function encrypt(key: Buffer, owner: string, text: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(owner))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

function decrypt(key: Buffer, owner: string, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64')
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  } catch (error) {
    throw new SecretBoxError('A stored secret was changed, or it was encrypted with another key of the same id.', {
      cause: error,
    })
  }
}

/** @returns undefined when the file does not exist. @throws SecretBoxError when it holds no keys */
function readKeyFile(path: string): readonly SecretKey[] | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o600)
  const keys = parseSecretKeys(readFileSync(path, 'utf8'))
  if (keys !== undefined) return keys
  throw new SecretBoxError(
    `${path} holds no secret key. Restore it from a copy, or remove it: a new one is made, and keys of model providers and ` +
      'notification channels must be entered again.',
  )
}

/** Makes the file with its content in one step: a process that is killed meanwhile leaves no incomplete key. */
function makeKeyFile(path: string, link: Link): readonly SecretKey[] {
  const key = randomBytes(32)
  const made = `${path}.${process.pid}`
  rmSync(made, { force: true })
  const file = openSync(made, 'wx', 0o600)
  try {
    writeSync(file, `${key.toString('base64')}\n`)
    fsyncSync(file)
    nameFile(made, path, link)
    syncFolder(dirname(path)) // or a power failure takes the key and leaves what it encrypted
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    closeSync(file)
    rmSync(made, { force: true })
  }
  const stored = readKeyFile(path)
  if (stored === undefined) throw new SecretBoxError(`${path} could not be written.`)
  return stored
}

type Link = (existing: string, name: string) => void

/** What file systems without hard links answer, such as FAT and some network folders. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'])

/** Where there are no links, the file is renamed: a data directory has one process, so no other one makes the file meanwhile. */
function nameFile(made: string, path: string, link: Link): void {
  try {
    link(made, path)
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code)) throw error
    if (!existsSync(path)) renameSync(made, path)
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
