import type { Config } from '../config.ts'
import { isLoopback } from '../features/auth/index.ts'

/** Tells where the server is, where its data lies, and what to paste to send it a first trace. */
export function printBanner(config: Pick<Config, 'host' | 'port' | 'publicUrl' | 'dataDir'>, needsKey: boolean): void {
  const url = config.publicUrl ?? `http://${printedHost(config.host)}:${config.port}`
  const lines = [
    '',
    `  Touchstone is ready at ${url}`,
    `  Data: ${config.dataDir}`,
    '',
    '  Trace a program that uses langsmith or @touchstone/sdk:',
    '',
    '  export LANGSMITH_TRACING=true',
    `  export LANGSMITH_ENDPOINT=${url}/api/v1`,
    ...(needsKey ? ['  export LANGSMITH_API_KEY=…   # a key of this server'] : []),
    '',
  ]
  console.log(lines.join('\n'))
}

function printedHost(host: string): string {
  if (isLoopback(host) || host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
