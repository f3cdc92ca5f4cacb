import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const cli = fileURLToPath(new URL('../../packages/cli/bin/touchstone.mjs', import.meta.url))

export interface Ending {
  readonly code: number | null
  readonly out: string
  readonly stderr: string
}

/** Runs the built command line to its end. @param env  added to the environment */
export async function runTouchstone(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ending> {
  const child = spawn(process.execPath, [cli, ...args], { env: { ...process.env, ...env } })
  let [out, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out, stderr }
}
