import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './steps/root.mjs'
import { findUnsteadyTests } from './test-rules/find-unsteady-tests.ts'

/** The rules of CONTRIBUTING.md for tests that fail only for faults, checked in every test file. */
export function checkTestRules(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '*.test.ts', '*.test.tsx', 'vitest.config.ts'], { cwd: root })
  const files = listed.toString().split('\0').filter(Boolean)
  return files.flatMap((file) => findUnsteadyTests(file, readFileSync(join(root, file), 'utf8')))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const problems = checkTestRules()
  for (const problem of problems) console.error(problem)
  console.log(`test rules: ${problems.length} problems`)
  process.exit(problems.length === 0 ? 0 : 1)
}
