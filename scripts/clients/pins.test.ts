import { describe, expect, it } from 'vitest'
import { compareNames, findPins, raisePin, readPins } from './pins.mjs'

const PACKAGE = `{
  "devDependencies": {
    "@langchain/core": "1.4.0",
    "langsmith": "0.12.0",
    "langsmith-of-2025": "npm:langsmith@0.3.79"
  }
}
`
const REQUIREMENTS = 'langsmith==0.15.0\nlangchain-core==1.7.2\npandas==2.3.3\n'

describe('pins of the published clients', () => {
  it('are found in a package.json and in a list of requirements', () => {
    const inPackage = findPins('e2e/package.json', PACKAGE).map(({ registry, name, version }) => [
      registry,
      name,
      version,
    ])
    expect(inPackage).toEqual([
      ['npm', 'langsmith', '0.12.0'],
      ['npm', '@langchain/core', '1.4.0'],
    ])
    expect(findPins('requirements.txt', REQUIREMENTS)).toMatchObject([
      { registry: 'pypi', name: 'langsmith', version: '0.15.0' },
      { registry: 'pypi', name: 'langchain-core', version: '1.7.2' },
    ])
  })

  it('are raised alone: other packages and versions under another name stay', () => {
    expect(raisePin('e2e/package.json', PACKAGE, 'langsmith', '0.13.0')).toBe(
      PACKAGE.replace('"langsmith": "0.12.0"', '"langsmith": "0.13.0"'),
    )
    expect(raisePin('requirements.txt', REQUIREMENTS, 'langsmith', '0.16.1')).toBe(
      REQUIREMENTS.replace('0.15.0', '0.16.1'),
    )
  })

  it('are in the files of this repository', () => {
    expect(readPins().map(({ file, name }) => `${file} ${name}`)).toEqual(
      expect.arrayContaining([
        'e2e/package.json langsmith',
        'bench/package.json langsmith',
        'examples/langsmith-javascript/package.json langsmith',
        'e2e/clients/python/requirements.txt langsmith',
        'e2e/clients/python/requirements-langchain.txt langchain-core',
      ]),
    )
  })
})

it('names are compared both ways', () => {
  expect(compareNames(['a', 'b'], ['b', 'c'])).toEqual({ added: ['c'], removed: ['a'] })
})
