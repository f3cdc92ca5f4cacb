import type { Transport } from '../transport/transport.ts'

/**
 * Key of a pulled prompt: server, digest of the credentials, what was asked for. Credentials themselves stay out of it,
 * because caches are dumped to files.
 */
export async function promptCacheKey(
  transport: Transport,
  identifier: string,
  includeModel: boolean | undefined,
): Promise<string> {
  const who = await credentialsOf(transport)
  return `${transport.connection.apiUrl}#${who}${includeModel ? '+model' : ''} ${identifier}`
}

/** Whether a key is of a prompt of that name on the transport's server, whoever's and whichever commit's. */
export function isKeyOf(transport: Transport, name: string): (key: string) => boolean {
  const server = `${transport.connection.apiUrl}#`
  return (key) => {
    if (!key.startsWith(server)) return false
    const identifier = key.slice(key.indexOf(' ', server.length) + 1)
    return /^(?:[^/:]+\/)?([^/:]+)/.exec(identifier)?.[1] === name
  }
}

const digests = new WeakMap<Transport, { text: string; digest: Promise<string> }>()

function credentialsOf(transport: Transport): Promise<string> {
  const { apiKey, workspaceId, headers, fetchOptions } = transport.connection
  const text = JSON.stringify([apiKey, workspaceId, headers, [...new Headers(fetchOptions.headers)]])
  const known = digests.get(transport)
  // A client's headers may be replaced, and with them who it is.
  if (known?.text === text) return known.digest
  const digest = digestOf(text)
  digests.set(transport, { text, digest })
  return digest
}

const strangers = new Map<string, string>()

/** 64 bits of the SHA-256 in hex; where pages without TLS have no digests, a number that holds in this process. */
async function digestOf(text: string): Promise<string> {
  const { subtle } = globalThis.crypto
  if (!subtle) {
    const number = strangers.get(text) ?? `client-${strangers.size + 1}`
    strangers.set(text, number)
    return number
  }
  const bytes = new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
