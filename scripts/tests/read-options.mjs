import { PARTS } from './parts.mjs'

export const HELP = `npm test [-- flags] [arguments of vitest]

Installs what is missing, builds, runs all tests, and prints where the time went, unstable files, failures and counts.

  --changed [commit]  only the tests that a change since the commit can touch: by imports, and the end-to-end files
                      that are named like what changed (default: HEAD, what is not committed)
  --full              the long proofs too; the same as npm run test:full
  --part <name>       with --full, one part of it: ${Object.keys(PARTS).join(', ')}
  --help              prints this`

/**
 * Reads the flags of `npm test`; what it does not know is for Vitest.
 *
 * @param {readonly string[]} args
 * @returns {{ isFull: boolean, part?: string, changedSince?: string, help: boolean, vitestArgs: string[] }}
 * @throws {Error} with a sentence for the user
 */
export function readOptions(args) {
  /** @type {ReturnType<typeof readOptions>} */
  const options = { isFull: false, help: false, vitestArgs: [] }
  for (let at = 0; at < args.length; at++) {
    const [name, inline] = args[at].split('=', 2)
    const following = args[at + 1]?.startsWith('-') ? undefined : args[at + 1]
    if (name === '--full') options.isFull = true
    else if (name === '--help' || name === '-h') options.help = true
    else if (name === '--part' || name === '--changed') {
      const value = inline ?? following
      if (inline === undefined && following !== undefined) at++
      if (name === '--part') options.part = value ?? ''
      else options.changedSince = value ?? 'HEAD'
    } else options.vitestArgs.push(args[at])
  }
  if (options.part !== undefined && !options.isFull) throw new Error('--part is for npm run test:full.')
  if (options.part !== undefined && !Object.hasOwn(PARTS, options.part))
    throw new Error(`There is no part "${options.part}". Parts: ${Object.keys(PARTS).join(', ')}.`)
  if (options.isFull && options.changedSince !== undefined) throw new Error('--full and --changed exclude each other.')
  return options
}
