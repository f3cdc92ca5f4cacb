import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail } from './steps/output.mjs'
import { root } from './steps/root.mjs'
import { readCommand, runCommand } from './steps/run-command.mjs'

const HELP = `node scripts/write-prices.mjs [version]

Writes packages/server/src/features/model-prices/litellm-prices.gen.ts from the table of prices in LiteLLM's wheel on PyPI, the
newest one or the named version, and prints what came, went and changed. Review the changes before you commit them. Needs
Python 3 with pip.`

// The table of the newest wheel; the package itself is not installed.
const TABLE = 'litellm/model_prices_and_context_window_backup.json'
const [version] = process.argv.slice(2)
if (version?.startsWith('-')) {
  console.log(HELP)
  process.exit(0)
}

const folder = mkdtempSync(join(tmpdir(), 'touchstone-prices-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
process.exit(writePrices())

function writePrices() {
  const wanted = version === undefined ? 'litellm' : `litellm==${version}`
  const options = ['--no-deps', '--only-binary=:all:', '--quiet', '--disable-pip-version-check', '--dest', folder]
  if (runCommand('python3', ['-m', 'pip', 'download', ...options, wanted]) !== 0)
    fail('LiteLLM could not be downloaded.')
  const [wheel] = readdirSync(folder).filter((name) => name.endsWith('.whl'))
  if (wheel === undefined) fail('pip downloaded no wheel of LiteLLM.')
  const unpack = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract(sys.argv[2], sys.argv[3])'
  if (readCommand('python3', ['-c', unpack, join(folder, wheel), TABLE, folder]) === undefined) {
    fail(`${wheel} has no ${TABLE}.`)
  }
  const day = new Date().toISOString().slice(0, 10)
  const args = [
    'packages/server/src/features/model-prices/generate/write-prices.ts',
    join(folder, TABLE),
    wheel.split('-')[1],
    day,
  ]
  return runCommand(process.execPath, ['--conditions=touchstone:source', '--import=tsx', ...args], { cwd: root })
}
