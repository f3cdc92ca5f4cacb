import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from './support/start-server.ts'

const script = fileURLToPath(new URL('../scripts/start.mjs', import.meta.url))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-start-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** `npm start -- …`, with what it printed and its exit code. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  const note = (chunk: Buffer) => {
    printed += chunk
  }
  child.stdout.on('data', note)
  child.stderr.on('data', note)
  const exitCode = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { child, exitCode, printed: () => printed }
}

async function stop({ child, exitCode }: { child: ChildProcess; exitCode: Promise<number | null> }) {
  child.kill('SIGTERM')
  return await exitCode
}

describe('npm start', () => {
  it('prints the addresses of the server and the data, serves the UI, and stops on a signal', async () => {
    const port = await freePort()
    const dataDir = join(folder, 'one')

    const server = start('--port', String(port), '--data-dir', dataDir)
    await expect.poll(server.printed, { timeout: 60_000 }).toContain('is ready')
    expect(server.printed()).toContain(`http://localhost:${port}/api/v1`)
    const page = await fetch(`http://localhost:${port}/`, { headers: { accept: 'text/html' } })

    expect(server.printed()).toContain(dataDir)
    expect(await page.text()).toContain('<!doctype html>')

    // A second one gives one sentence when the port is taken, or the folder in use.
    const samePort = start('--port', String(port), '--data-dir', join(folder, 'two'))
    expect(await samePort.exitCode).toBe(1)
    expect(samePort.printed()).toMatch(new RegExp(`Port ${port} is taken`))
    expect(samePort.printed()).not.toMatch(/\n\s+at /)

    const sameFolder = start('--port', String(await freePort()), '--data-dir', dataDir)
    expect(await sameFolder.exitCode).toBe(1)
    expect(sameFolder.printed()).toMatch(/in use by process \d+/)

    expect(await stop(server)).toBe(0)
  })

  it('does not start without a key on a public address, and prints the link and the command that create one', async () => {
    const dataDir = join(folder, 'public')
    const port = await freePort()

    const url = `http://127.0.0.1:${port}/api/v1/sessions`
    const locked = start('--host', '0.0.0.0', '--port', String(port), '--data-dir', dataDir)
    await expect.poll(locked.printed, { timeout: 60_000 }).toContain('/setup#')
    expect(locked.printed()).toContain('--create-key')
    expect((await fetch(url)).status).toBe(401)
    await stop(locked)

    const made = start('--create-key', 'first', '--data-dir', dataDir)
    expect(await made.exitCode).toBe(0)
    const key = made.printed().trim().split('\n').at(-1)!

    const server = start('--host', '0.0.0.0', '--port', String(port), '--data-dir', dataDir)
    await expect.poll(server.printed, { timeout: 60_000 }).toContain('is ready')
    expect((await fetch(url)).status).toBe(401)
    expect((await fetch(url, { headers: { 'x-api-key': key } })).status).toBe(200)
    await stop(server)
  })

  it('names a flag that it does not know', async () => {
    const refused = start('--prot', '3000')

    expect(await refused.exitCode).toBe(1)
    expect(refused.printed()).toContain('--prot is not known')
  })
})
