import { randomInt } from 'node:crypto'
import type { Config } from '../config.ts'
import { isLoopback } from '../http/request-origin.ts'
import type { Entry } from './run-server.ts'

/** Tells where the server is, where its data lies, how to get in, and what to paste to send it a first trace. */
export function printBanner(
  config: Pick<Config, 'host' | 'port' | 'publicUrl' | 'dataDir'>,
  { isOpen, setupCode }: Entry,
): void {
  const url = config.publicUrl ?? `http://${printedHost(config.host)}:${config.port}`
  const lines = [
    '',
    `  Touchstone is ready at ${url}`,
    `  Data: ${config.dataDir}`,
    '',
    ...(setupCode === undefined ? [] : isOpen ? openLines(url, setupCode) : setUpLines(url, setupCode)),
    '  Trace a program that uses langsmith or @touchstone/sdk:',
    '',
    '  export LANGSMITH_TRACING=true',
    `  export LANGSMITH_ENDPOINT=${url}/api/v1`,
    ...(!isOpen ? ['  export LANGSMITH_API_KEY=…   # a key of this server'] : []),
    '',
  ]
  console.log(lines.join('\n'))
}

/** The code stands behind the #, so that no server on the way writes it down. */
const setUpLink = (url: string, code: string) => `  ${url}/setup#${code}`

function openLines(url: string, code: string): string[] {
  return [
    '  Open to programs of this machine. To let others in, also through a proxy, set it up:',
    setUpLink(url, code),
    '',
  ]
}

function setUpLines(url: string, code: string): string[] {
  return [
    '  Nobody can sign in, and no key is valid. Set the server up:',
    '',
    setUpLink(url, code),
    '',
    '  Without a browser, stop it and run: npm start -- --create-key NAME',
    '',
  ]
}

function printedHost(host: string): string {
  if (isLoopback(host) || host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789' // without what is read for something else

/** Four groups of four, 79 bits: to be copied from a terminal. */
export function newSetupCode(): string {
  const group = () => Array.from({ length: 4 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}
