import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'

const fromSources = ['--import=tsx', '--conditions=touchstone:source']
const cli = fileURLToPath(new URL('../main.ts', import.meta.url))
const serverMain = fileURLToPath(new URL('../../../server/src/main.ts', import.meta.url))

export interface Ending {
  code: number | null
  /** Standard output and standard error. */
  stdout: string
  stderr: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read any printed JSON
  json(): any
}

/** A server started from sources, and a terminal that runs the CLI against it. */
export class Terminal {
  readonly endpoint: string
  /** Removed when the terminal closes. */
  readonly folder: string
  readonly #server: ChildProcess

  private constructor(port: number) {
    this.endpoint = `http://127.0.0.1:${port}`
    this.folder = mkdtempSync(join(tmpdir(), 'touchstone-cli-'))
    const args = ['--port', String(port), '--data-dir', join(this.folder, 'data')]
    this.#server = spawn(process.execPath, [...fromSources, serverMain, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }

  static async open(): Promise<Terminal> {
    const terminal = new Terminal(await freePort())
    await vi.waitFor(() => fetch(`${terminal.endpoint}/ok`), { timeout: 80_000, interval: 200 })
    return terminal
  }

  async run(...args: string[]): Promise<Ending> {
    const child = spawn(process.execPath, [...fromSources, cli, ...args], {
      env: { ...process.env, TOUCHSTONE_ENDPOINT: this.endpoint, TOUCHSTONE_API_KEY: '' },
    })
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
