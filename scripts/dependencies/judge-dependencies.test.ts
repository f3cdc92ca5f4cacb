import { describe, expect, it } from 'vitest'
import { type AllowedDependencies, findProblems, type LockedPackage } from './judge-dependencies.mjs'

const allowed: AllowedDependencies = {
  licenses: ['MIT'],
  licensesByPackage: { font: 'OFL-1.1: shipped unchanged' },
  installScripts: { engine: 'reviewed' },
}
const engine = { 'node_modules/engine': { license: 'MIT', version: '1.0.0', hasInstallScript: true } }

const judge = (packages: Record<string, LockedPackage>) => findProblems({ ...engine, ...packages }, allowed)

describe('the check of dependencies', () => {
  it('accepts what the list allows, and any license of a package that is only for development', () => {
    const packages = {
      '': { license: 'none of ours' },
      'packages/server': { license: 'Apache-2.0' },
      'node_modules/@touchstone/server': { link: true },
      'node_modules/a': { license: 'MIT' },
      'node_modules/font': { license: 'OFL-1.1' },
      'node_modules/runner': { license: 'GPL-3.0', dev: true },
    }
    expect(judge(packages)).toEqual([])
  })

  it.each([
    [
      'a new license',
      { license: 'GPL-3.0', version: '2.1.0' },
      /^@x\/new@2\.1\.0 has the license GPL-3\.0.*Read the license/,
    ],
    ['no license', { version: '2.1.0' }, /^@x\/new@2\.1\.0 has the license \(none stated\)/],
    [
      'a new install script, also in development',
      { license: 'MIT', version: '2.1.0', hasInstallScript: true, dev: true },
      /^@x\/new@2\.1\.0 runs a script when it is installed.*Read the script/,
    ],
  ])('names the package with %s and the next step', (_, entry, sentence) => {
    expect(judge({ 'node_modules/a/node_modules/@x/new': entry })).toEqual([expect.stringMatching(sentence)])
  })

  it('asks to remove an entry that is not needed any more', () => {
    expect(findProblems({}, allowed)).toEqual([expect.stringContaining('engine has no install script any more')])
  })
})
