import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** A smaller file fits into one packet, compressed or not. */
const MIN_BYTES = 1024

/** Fonts and images are compressed already. The server compresses the page itself. */
const COMPRESSIBLE = /(?<!^index)\.(js|css|svg|json|html|txt)$/

/** Writes a Brotli and a gzip copy beside each file of a folder that shrinks; the server sends them to browsers. */
export async function compressFiles(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => COMPRESSIBLE.test(name))
  // Every file at once: zlib compresses in as many threads as Node has.
  await Promise.all(names.map((name) => compressFile(join(folder, name))))
}

async function compressFile(path) {
  const bytes = readFileSync(path)
  if (bytes.length < MIN_BYTES) return
  writeFileSync(`${path}.br`, await toBrotli(bytes))
  writeFileSync(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }))
}

/** Bytes as a browser that accepts Brotli receives them. */
export function toBrotli(bytes) {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  return promisify(brotliCompress)(bytes, { params })
}
