import { spawn } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { printProgress } from './output.mjs'

const START_SECONDS = 120

/**
 * Starts a server for the tests that prints `Running on http://127.0.0.1:<port>`, and stops it when this process ends.
 *
 * @returns its address and `stop`; undefined when it ends or prints no address
 */
export async function startProgram(name, program, args, options) {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-program-'))
  // A file, because nothing reads a pipe while the tests run.
  const log = join(folder, 'log')
  const output = openSync(log, 'w')
  const child = spawn(program, args, { ...options, stdio: ['ignore', output, output] })
  const stop = () => {
    process.off('exit', stop)
    child.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
  process.on('exit', stop)
  const url = await findUrl(child, log)
  if (url === undefined) {
    console.error(readFileSync(log, 'utf8').slice(0, 2_000))
    stop()
    return undefined
  }
  printProgress(`${name} for the tests is listening at ${url}`)
  return { url, stop }
}

async function findUrl(child, log) {
  for (let waited = 0; waited < START_SECONDS && child.exitCode === null; waited += 0.1) {
    const url = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(readFileSync(log, 'utf8'))?.[1]
    if (url !== undefined) return url
    await setTimeout(100)
  }
  return undefined
}
