import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './root.mjs'

/**
 * Runs a command with the input and output of the terminal and waits until it ends.
 *
 * @returns exit code; 1 when a signal ended it, 127 when it could not be started
 */
export function runCommand(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options })
  if (done.error) return 127
  return done.status ?? 1
}

/** Runs the binary of an installed package directly; npx costs half a second and hides signals. */
export function runTool(name, args, options = {}) {
  const isWindows = process.platform === 'win32'
  return runCommand(join(root, 'node_modules/.bin', name), args, { shell: isWindows, ...options })
}

/** Returns the trimmed output of a command, or undefined when it is missing or fails. */
export function readCommand(command, args, options = {}) {
  const done = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    ...options,
  })
  return done.status === 0 ? done.stdout.trim() : undefined
}

/**
 * Runs a child process until it ends: passes signals on and ends with its exit code. A terminal sends Ctrl-C to the
 * child itself; passing it on would count as a second one.
 */
export function becomeCommand(command, args, options = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options })
  const pass = (signal) => child.kill(signal)
  process.on('SIGTERM', pass)
  process.on('SIGHUP', pass)
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  if (process.env.npm_lifecycle_event !== undefined) endWithParent(() => child.kill('SIGTERM'))
  child.on('error', (cause) => {
    console.error(cause.message)
    process.exit(127)
  })
  child.on('exit', (code, signal) => {
    process.off('SIGTERM', pass)
    if (signal) process.kill(process.pid, signal)
    else process.exit(code ?? 1)
  })
  return child
}

/**
 * npm starts this process below a shell that does not pass signals on, so the server would keep running after `npm start`
 * has ended. Ends the child when the parent process is gone.
 */
function endWithParent(end) {
  const parent = process.ppid
  setInterval(() => process.ppid === parent || end(), 500).unref()
}
