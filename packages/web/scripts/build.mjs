import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

/** Kilobytes of JavaScript, gzipped: what the first screen may load, and what any chunk loaded later may weigh. */
const BUDGET = { firstScreen: 180, lazyChunk: 90 }
/** The first screen: the entry, the shell, the list of projects. */
const FIRST_SCREEN = ['index.html', 'src/routes/o/$tenant/route.tsx', 'src/routes/o/$tenant/projects/index.tsx']

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
process.chdir(root)
// A test runner that builds first has set its own, and React's development build would be bundled.
process.env.NODE_ENV = 'production'
await build({ root, logLevel: 'warn', build: { manifest: true } })

const dist = join(root, 'dist')
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))
rmSync(join(dist, '.vite'), { recursive: true })
const chunks = Object.values(manifest).filter((chunk) => chunk.file.endsWith('.js'))
const kilobytes = (file) => gzipSync(readFileSync(join(dist, file))).length / 1000

const first = filesOfFirstScreen()
const firstTotal = [...first].reduce((sum, file) => sum + kilobytes(file), 0)
const lazy = [...new Set(chunks.map((chunk) => chunk.file))]
  .filter((file) => !first.has(file))
  .map((file) => ({ file, size: kilobytes(file) }))
  .sort((a, b) => b.size - a.size)

console.log(`first screen: ${firstTotal.toFixed(1)} kB gzip in ${first.size} files (budget ${BUDGET.firstScreen} kB)`)
if (process.argv.includes('--list')) for (const file of first) console.log(kilobytes(file).toFixed(1).padStart(7), file)
for (const { file, size } of lazy.slice(0, 6)) console.log(`${size.toFixed(1).padStart(7)} kB  ${file}`)
if (lazy.length > 6) console.log(`        and ${lazy.length - 6} smaller chunks`)

const tooLarge = lazy.filter(({ size }) => size > BUDGET.lazyChunk)
for (const { file, size } of tooLarge) console.error(`${file} is ${size.toFixed(1)} kB: over ${BUDGET.lazyChunk} kB`)
if (firstTotal > BUDGET.firstScreen) console.error(`the first screen is over its ${BUDGET.firstScreen} kB`)
if (tooLarge.length > 0 || firstTotal > BUDGET.firstScreen) process.exit(1)

/** Every script that the first screen imports, directly or through another, lazy ones left out. */
function filesOfFirstScreen() {
  const files = new Set()
  const visit = (key) => {
    const chunk = manifest[key]
    if (!chunk || files.has(chunk.file)) return
    if (chunk.file.endsWith('.js')) files.add(chunk.file)
    for (const imported of chunk.imports ?? []) visit(imported)
  }
  for (const source of FIRST_SCREEN) {
    const keys = Object.keys(manifest).filter((key) => key === source || key.startsWith(`${source}?`))
    if (keys.length === 0) throw new Error(`The build holds no ${source}; the first screen cannot be measured.`)
    keys.forEach(visit)
  }
  return files
}
