import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

const run = promisify(execFile)
const python = process.env.TOUCHSTONE_TEST_PYTHON ?? fileURLToPath(new URL('../../.venv/bin/python', import.meta.url))

/** Like a user: pastes the environment into a shell and the program into a file. @returns what the program prints */
export async function runProgram(environment: string, program: string): Promise<string> {
  expect(existsSync(python), 'the Python clients in .venv; `npm test` brings them').toBe(true)
  return (await run('bash', ['-c', `${environment}\n${python} <<'PROGRAM'\n${program}\nPROGRAM`])).stdout
}

/** The buttons that copy the snippets of a page, in its order. */
export function copyButtons(page: Page): Locator {
  return page.getByRole('button', { name: /^(Copy|Copied)$/ })
}

/** Runs a function and returns the text of the clipboard. */
export async function copied(page: Page, act: () => Promise<void>): Promise<string> {
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await act()
  const read = () => page.evaluate(() => navigator.clipboard.readText())
  await expect.poll(read).not.toBe('')
  return read()
}
