import { uuid7 } from '../../ids/uuid.ts'
import type { Logger } from '../../logger.ts'
import { builtin } from '../../runtime/runtime.ts'
import type { Body } from './request-body.ts'

/**
 * Stores the body of a request that could not be delivered. Synchronous, because it also runs while the process exits.
 */
export type Dump = (endpoint: string, body: Body, to: { apiUrl: string; logger: Logger }) => void

/**
 * Writes each body as `trace_{epochMs}_{8 hex}.json` without credentials, readable by the owner only.
 *
 * @param maxBytes total size of such files above which no more are written
 */
export function createDump(directory: string, maxBytes: number): Dump {
  return (endpoint, body, { apiUrl, logger }) => {
    const fs = builtin('node:fs')
    const path = builtin('node:path')
    if (!fs || !path) return
    try {
      fs.mkdirSync(directory, { recursive: true })
      const names = fs.readdirSync(directory).filter((name) => /^trace_.*\.json$/.test(name))
      const used = names.reduce((sum, name) => sum + fs.statSync(path.join(directory, name)).size, 0)
      if (used >= maxBytes) return logger.warn(`[touchstone] ${directory} is full: undelivered runs are not kept.`)
      const name = path.join(directory, `trace_${Date.now()}_${uuid7().slice(-8)}.json`)
      fs.writeFileSync(`${name}.tmp`, toText(endpoint, body, apiUrl), { mode: 0o600 })
      fs.renameSync(`${name}.tmp`, name)
    } catch (error) {
      logger.warn(`[touchstone] Could not write undelivered runs to ${directory}: ${error}`)
    }
  }
}

function toText(endpoint: string, { bytes, contentType }: Body, apiUrl: string): string {
  const body_base64 = Buffer.from(bytes).toString('base64')
  return JSON.stringify({ version: 1, endpoint, origin: apiUrl, headers: { 'Content-Type': contentType }, body_base64 })
}
