import { spawn } from 'node:child_process'
import { lstatSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { describe, expect, it, vi } from 'vitest'

// The global setup of these tests has built the server from today's sources.
const main = fileURLToPath(new URL('../../dist/main.cjs', import.meta.url))
const newDir = () => mkdtempSync(join(tmpdir(), 'touchstone-start-'))

function start(...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, errors] = ['', '']
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (errors += chunk))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, ended, out: () => out, errors: () => errors }
}

async function started(...args: string[]) {
  const server = start('--port', '0', ...args)
  const url = await vi.waitFor(() => /ready at (\S+)/.exec(server.out())![1]!, { timeout: 60_000, interval: 100 })
  return { ...server, url }
}

/** Starts and stops a server; returns what must be its own. */
async function identify(dataDir: string) {
  const server = await started('--data-dir', dataDir)
  const read = async (path: string) => (await fetch(server.url + path)).json() as Promise<{ id: string }[]>
  const [[workspace], [project]] = [await read('/workspaces'), await read('/sessions')]
  server.child.kill('SIGTERM')
  await server.ended
  const database = await PGlite.create(join(dataDir, 'relational'))
  const { rows } = await database.query<{ name: string; secret: string }>('select name, secret from server_secrets')
  const identity = await database.query<{ id: string }>('select id from server_identity')
  await database.close()
  expect(identity.rows).toEqual([{ id: workspace?.id }])
  return {
    workspace: workspace?.id,
    project: project?.id,
    secrets: Object.fromEntries(rows.map((row) => [row.name, row.secret])),
  }
}

const SLOW = { timeout: 120_000 }

describe('asking for help', () => {
  it('prints the flags without starting anything', SLOW, async () => {
    const asked = start('--help', '--data-dir', '/nonexistent/data')
    expect(await asked.ended).toBe(0)
    expect(asked.out()).toContain('Usage: touchstone start [flags]')
    for (const flag of ['--port', '--data-dir', '--create-key NAME', '--restore-backup PATH', '--version']) {
      expect(asked.out()).toContain(flag)
    }
    expect(
      Math.max(
        ...asked
          .out()
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(120)
  })
})

describe('starting', () => {
  it('prints its address, locks its data directory, and stops on a signal', SLOW, async () => {
    const dataDir = newDir()
    const server = await started('--data-dir', dataDir)
    expect(server.out()).toContain(dataDir)
    expect(server.out()).toContain(`export LANGSMITH_ENDPOINT=${server.url}/api/v1`)
    expect((await fetch(`${server.url}/ok`)).status).toBe(200)

    const second = start('--port', '0', '--data-dir', dataDir)
    expect(await second.ended).toBe(1)
    expect(second.errors()).toContain(`in use by process ${server.child.pid} on host`)
    expect(second.errors()).not.toContain('    at ')

    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
  })

  it('gives every new server ids and secrets of its own, which stay the same', SLOW, async () => {
    const [one, other] = [newDir(), newDir()]
    const first = await identify(one)
    const second = await identify(other)
    expect(first.workspace).not.toBe(second.workspace)
    expect(first.project).not.toBe(second.project)
    expect(first.workspace).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    expect(Object.keys(first.secrets).length).toBeGreaterThan(0)
    for (const name of Object.keys(first.secrets)) expect(first.secrets[name]).not.toBe(second.secrets[name])
    expect(await identify(one)).toEqual(first)
  })

  it('keeps an empty directory of a store that is a link to another disk', SLOW, async () => {
    const [dataDir, otherDisk] = [newDir(), newDir()]
    symlinkSync(otherDisk, join(dataDir, 'analytics'))
    const server = await started('--data-dir', dataDir)
    expect(lstatSync(join(dataDir, 'analytics')).isSymbolicLink()).toBe(true)
    expect(readdirSync(otherDisk)).not.toEqual([])
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
  })

  it('prints one message when its port is taken', SLOW, async () => {
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
    const { port } = holder.address() as { port: number }
    const server = start('--port', String(port), '--data-dir', newDir())
    expect(await server.ended).toBe(1)
    expect(server.errors().trim()).toBe(
      `Port ${port} is taken by another program. Stop it, or choose another with --port.`,
    )
    holder.close()
  })

  it('refuses requests from the network until it is set up with the printed code', SLOW, async () => {
    const server = await started('--host', '0.0.0.0', '--data-dir', newDir())
    const code = /\/setup#(\S+)/.exec(server.out())![1]!
    expect((await fetch(`${server.url}/settings`)).status).toBe(401)
    const setUp = (body: object) =>
      fetch(`${server.url}/auth/setup`, {
        method: 'POST',
        body: JSON.stringify({
          email: 'ada@example.org',
          password: 'correct horse',
          workspace_name: 'Acme',
          project_name: 'bot',
          ...body,
        }),
      })
    expect((await setUp({})).status).toBe(403)
    expect((await setUp({ code: 'guessed' })).status).toBe(403)
    const done = await setUp({ code })
    expect(done.status).toBe(200)
    const { key } = (await done.json()) as { key: string }
    expect((await fetch(`${server.url}/settings`, { headers: { 'x-api-key': key } })).status).toBe(200)
    expect((await setUp({ code })).status).toBe(403)
    server.child.kill('SIGINT')
    expect(await server.ended).toBe(0)
  })

  it('asks for the key that was made beforehand', SLOW, async () => {
    const place = ['--data-dir', newDir()]

    const making = start('--create-key', 'first', ...place)
    expect(await making.ended).toBe(0)
    const key = making.out().trim()
    expect(key).toMatch(/^ts_\w{40}$/)

    const server = await started('--host', '0.0.0.0', ...place)
    expect(server.out()).toContain('LANGSMITH_API_KEY')
    expect(server.out()).not.toContain('/setup#')
    expect((await fetch(`${server.url}/settings`)).status).toBe(401)
    expect((await fetch(`${server.url}/metrics`)).status).toBe(401)
    expect((await fetch(`${server.url}/settings`, { headers: { 'x-api-key': key } })).status).toBe(200)
    server.child.kill('SIGINT')
    expect(await server.ended).toBe(0)
  })

  it('finishes running requests when it is stopped', SLOW, async () => {
    const server = await started('--data-dir', newDir())
    const answers = Array.from({ length: 20 }, (_, at) =>
      fetch(`${server.url}/runs`, {
        method: 'POST',
        body: JSON.stringify({ id: `0197f2a4-3c10-7d21-9b55-2f4b8e7a1c${10 + at}`, name: 'r', run_type: 'chain' }),
      }),
    )
    await Promise.race(answers)
    server.child.kill('SIGTERM')
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(20).fill(202))
    expect(await server.ended).toBe(0)
  })
})
