import { fileURLToPath } from 'node:url'
import { inFull } from './scale.ts'

const hook = fileURLToPath(new URL('quick-passwords.cjs', import.meta.url))

/** Environment of a server whose tests sign in many times: its hashes are cheaper, except in `npm run test:full`. */
export const quickPasswords: Readonly<Record<string, string>> = inFull({ NODE_OPTIONS: `--require=${hook}` }, {})
