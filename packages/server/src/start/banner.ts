import type { Config } from '../config.ts'
import { isLoopback } from '../http/loopback.ts'
import type { Door } from './run-server.ts'

/** Tells where the server is, where its data lies, how to get in, and what to paste to send it a first trace. */
export function printBanner(
  config: Pick<Config, 'host' | 'port' | 'publicUrl' | 'dataDir'>,
  { isClosed, setupCode }: Door,
): void {
  const url = config.publicUrl ?? `http://${printedHost(config.host)}:${config.port}`
  const lines = [
    '',
    `  Touchstone is ready at ${url}`,
    `  Data: ${config.dataDir}`,
    '',
    ...(setupCode === undefined ? [] : setUpLines(url, setupCode)),
    '  Trace a program that uses langsmith or @touchstone/sdk:',
    '',
    '  export LANGSMITH_TRACING=true',
    `  export LANGSMITH_ENDPOINT=${url}/api/v1`,
    ...(isClosed || setupCode !== undefined ? ['  export LANGSMITH_API_KEY=…   # a key of this server'] : []),
    '',
  ]
  console.log(lines.join('\n'))
}

/** Behind the #, so that no server on the way writes the code down. */
function setUpLines(url: string, code: string): string[] {
  return [
    '  It has neither accounts nor keys, and lets nobody in before it is set up:',
    '',
    `  ${url}/setup#${code}`,
    '',
    '  Without a browser, stop it and run: npm start -- --create-key NAME',
    '',
  ]
}

function printedHost(host: string): string {
  if (isLoopback(host) || host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
