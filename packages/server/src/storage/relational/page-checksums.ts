import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

const PAGE_BYTES = 8192
const PAGE_WORDS = PAGE_BYTES / 4
const CHUNK_PAGES = 64
/** Bytes of the newest files that are read at start: enough to find a torn write, little enough for a fast start. */
const CHECKED_BYTES = 32 * 1024 * 1024

/**
 * Returns the first damaged page of the newest data files of a cluster as text, or undefined without damage. Call it
 * after recovery, which repairs torn pages. The checksum is PostgreSQL's own (`checksum_impl.h`); PostgreSQL itself
 * only verifies a page when a query reads it.
 */
export function findDamagedPage(directory: string): string | undefined {
  let readBytes = 0
  const chunk = new Uint32Array(CHUNK_PAGES * PAGE_WORDS)
  for (const { path, size } of listNewestFiles(directory)) {
    if (readBytes > CHECKED_BYTES) return undefined
    readBytes += size
    const page = findDamagedPageInFile(path, size, chunk)
    if (page !== undefined) return `page ${page} of the file ${relative(directory, path)} does not match its checksum`
  }
  return undefined
}

/** Files of tables and indexes: a number, `_fsm` or `_vm`, and `.1` for the second gigabyte. */
function listNewestFiles(directory: string): { path: string; size: number; mtimeMs: number }[] {
  const isData = (name: string) => /^\d+(_fsm|_vm)?(\.\d+)?$/.test(name)
  return ['base', 'global']
    .flatMap((folder) => readdirSync(join(directory, folder), { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile() && isData(entry.name))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const { size, mtimeMs } = statSync(path)
      return { path, size, mtimeMs }
    })
    .sort((one, other) => other.mtimeMs - one.mtimeMs)
}

/** @param chunk  overwritten; one buffer for all files, because zeroing a new one costs more than reading a small file */
function findDamagedPageInFile(path: string, size: number, chunk: Uint32Array): number | undefined {
  // Block numbers continue through the files of a table, a gigabyte each.
  const firstBlock = Number(/\.(\d+)$/.exec(path)?.[1] ?? 0) * 131_072
  const descriptor = openSync(path, 'r')
  try {
    for (let from = 0; from < size; from += chunk.byteLength) {
      const read = readSync(descriptor, chunk, 0, chunk.byteLength, from)
      for (let at = 0; at + PAGE_BYTES <= read; at += PAGE_BYTES) {
        const block = (from + at) / PAGE_BYTES
        if (!isWhole(chunk.subarray(at / 4, at / 4 + PAGE_WORDS), firstBlock + block)) return block
      }
    }
    return undefined
  } finally {
    closeSync(descriptor)
  }
}

/** A page that was never used is all zeros and has no checksum. Sets the checksum in `words` to zero. */
function isWhole(words: Uint32Array, block: number): boolean {
  const isNew = words[3]! >>> 16 === 0 // pd_upper
  if (isNew) return words.every((word) => word === 0)
  const header = words[2]! // pd_checksum and pd_flags
  return computeChecksum(words.fill(header & 0xffff0000, 2, 3), block) === (header & 0xffff)
}

const PRIME = 16_777_619
const BASES = Int32Array.of(
  0x5b1f36e9,
  0xb8525960,
  0x02ab50aa,
  0x1de66d2a,
  0x79ff467a,
  0x9bb9f8a3,
  0x217e7cd2,
  0x83e13d2c,
  0xf8d4474f,
  0xe39eb970,
  0x42c6ae16,
  0x993216fa,
  0x7b093b5d,
  0x98daff3c,
  0xf718902a,
  0x0b1c9cdb,
  0xe58f764b,
  0x187636bc,
  0x5d7b3bb1,
  0xe73de7de,
  0x92bec979,
  0xcca6c0b2,
  0x304a0979,
  0x85aa43d4,
  0x783125bb,
  0x6ca8eaa2,
  0xe407eac6,
  0x4b5cfc3e,
  0x9fbf8c76,
  0x15ca20be,
  0xf2ca9fd3,
  0x959bd756,
)

/** FNV-1a in 32 lanes over a page whose own checksum is zero, then over two rounds of zeros. */
function computeChecksum(words: Uint32Array, block: number): number {
  let sum = block
  for (const [lane, base] of BASES.entries()) {
    let laneSum = base
    for (let at = lane; at < PAGE_WORDS; at += LANES) laneSum = mix(laneSum ^ words[at]!)
    sum ^= mix(mix(laneSum))
  }
  return ((sum >>> 0) % 65_535) + 1
}

const LANES = BASES.length
const mix = (value: number) => Math.imul(value, PRIME) ^ (value >>> 17)
