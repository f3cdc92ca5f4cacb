import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { toBrotli } from './compress-files.mjs'
import { findParts, listChunks, PAGES, SHELL } from './group-chunks.mjs'

/** Kilobytes of a chunk that pages load later, as a browser receives it. */
const CHUNK_KILOBYTES = 80

/** The font of every page, which its style sheet loads. */
const FONT = /assets\/inter-ascii-[\w-]+\.woff2$/

/**
 * Prints what the first pages load, and the largest chunks.
 *
 * @param root       folder of the package
 * @param dist       folder of the built UI, with its compressed copies
 * @param output     what the bundler made
 * @param isVerbose  prints every file of the pages
 * @returns whether everything is within its budget
 */
export async function checkBudgets({ root, dist, output, isVerbose }) {
  const page = (await toBrotli(readFileSync(join(dist, 'index.html')))).length / 1000
  const kilobytes = (file) => {
    const path = join(dist, file)
    return file === 'index.html' ? page : statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size / 1000
  }
  const problems = []
  const onPages = new Set()
  for (const { name, from, kilobytes: budget } of PAGES) {
    const files = listFiles(root, output, [...SHELL, ...from])
    const total = files.reduce((sum, file) => sum + kilobytes(file), 0)
    console.log(`${name}: ${total.toFixed(1)} kB in ${files.length} files`)
    if (isVerbose) for (const file of files) console.log(`${kilobytes(file).toFixed(1).padStart(7)} kB  ${file}`)
    if (budget === undefined) continue
    for (const file of files) onPages.add(file)
    if (total > budget) problems.push(`${name} is over its ${budget} kB`)
  }
  const chunks = output
    .filter(({ type, fileName }) => type === 'chunk' && !onPages.has(fileName))
    .map(({ fileName }) => ({ fileName, size: kilobytes(fileName) }))
    .sort((a, b) => b.size - a.size)
  for (const { fileName, size } of chunks.slice(0, 6)) console.log(`${size.toFixed(1).padStart(7)} kB  ${fileName}`)
  if (chunks.length > 6) console.log(`        and ${chunks.length - 6} smaller chunks`)
  for (const { fileName, size } of chunks.filter(({ size }) => size > CHUNK_KILOBYTES)) {
    problems.push(`${fileName} is ${size.toFixed(1)} kB: over ${CHUNK_KILOBYTES} kB`)
  }
  for (const problem of problems) console.error(problem)
  return problems.length === 0
}

/** The page itself, and the scripts, style sheets and the font that parts of the UI load. */
function listFiles(root, output, sources) {
  const chunks = new Set(
    sources.flatMap((source) => findParts(root, output, source)).flatMap((part) => [...listChunks(part, output)]),
  )
  const styles = [...chunks].flatMap((chunk) => [...(chunk.viteMetadata?.importedCss ?? [])])
  const fonts = output.filter(({ fileName }) => FONT.test(fileName))
  return ['index.html', ...new Set([...styles, ...[...chunks, ...fonts].map(({ fileName }) => fileName)])]
}
