import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { checkBudgets } from './check-budgets.mjs'
import { compressFiles } from './compress-files.mjs'
import { groupChunks } from './group-chunks.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
process.chdir(root)
// A test runner that builds first has set its own, and React's development build would be bundled.
process.env.NODE_ENV = 'production'
const groupOf = await groupChunks(root)
const codeSplitting = {
  includeDependenciesRecursively: false,
  groups: [{ name: (id) => groupOf(id) ?? null, debugName: 'pages' }],
}
const { output } = await build({ root, logLevel: 'warn', build: { rolldownOptions: { output: { codeSplitting } } } })

const dist = join(root, 'dist')
await compressFiles(dist)
if (!(await checkBudgets({ root, dist, output, isVerbose: process.argv.includes('--list') }))) process.exit(1)
