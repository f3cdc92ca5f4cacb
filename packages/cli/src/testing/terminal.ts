import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'

// The global setup of these tests has built both programs from today's sources.
const cli = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const serverMain = fileURLToPath(new URL('../../../server/dist/main.cjs', import.meta.url))

export interface Ending {
  code: number | null
  /** Standard output and standard error. */
  stdout: string
  stderr: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read any printed JSON
  json(): any
}

/** A built server, and a terminal that runs the built CLI against it. */
export class Terminal {
  readonly endpoint: string
  /** Removed when the terminal closes. */
  readonly folder: string
  readonly #server: ChildProcess

  private constructor(port: number) {
    this.endpoint = `http://127.0.0.1:${port}`
    this.folder = mkdtempSync(join(tmpdir(), 'touchstone-cli-'))
    const data = join(this.folder, 'data')
    // The global setup has started a server on an empty folder once; starting on a copy takes half the time.
    const template = process.env.TOUCHSTONE_E2E_TEMPLATE
    if (template !== undefined) cpSync(template, data, { recursive: true })
    const args = ['--port', String(port), '--data-dir', data]
    this.#server = spawn(process.execPath, [serverMain, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }

  static async open(): Promise<Terminal> {
    const terminal = new Terminal(await freePort())
    await vi.waitFor(() => fetch(`${terminal.endpoint}/ok`), { timeout: 80_000, interval: 200 })
    return terminal
  }

  run(...args: string[]): Promise<Ending> {
    return this.runWithInput('', ...args)
  }

  /** Runs the CLI with a text as its standard input. */
  async runWithInput(input: string, ...args: string[]): Promise<Ending> {
    const child = spawn(process.execPath, [cli, ...args], {
      env: { ...process.env, TOUCHSTONE_ENDPOINT: this.endpoint, TOUCHSTONE_API_KEY: '' },
    })
    child.stdin.end(input)
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk) => (stdout += chunk))
    child.stderr.on('data', (chunk) => (stderr += chunk))
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { code, stdout, stderr, json: () => JSON.parse(stdout) }
  }

  async close(): Promise<void> {
    this.#server.kill()
    await new Promise((resolve) => this.#server.once('exit', resolve))
    rmSync(this.folder, { recursive: true, force: true })
  }
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  return port
}
