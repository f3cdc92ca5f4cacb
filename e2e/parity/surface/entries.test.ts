import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import * as ours from '@touchstone/sdk'
import * as ourAnonymizer from '@touchstone/sdk/anonymizer'
import * as ourClient from '@touchstone/sdk/client'
import * as ourEvaluation from '@touchstone/sdk/evaluation'
import * as ourRunTrees from '@touchstone/sdk/run_trees'
import * as ourContext from '@touchstone/sdk/singletons/traceable'
import * as ourTraceable from '@touchstone/sdk/traceable'
import * as ourJestlike from '@touchstone/sdk/utils/jestlike'
import * as ourWrappers from '@touchstone/sdk/wrappers'
import * as ourAISDK from '@touchstone/sdk/wrappers/vercel'
import * as theirs from 'langsmith'
import * as theirAnonymizer from 'langsmith/anonymizer'
import * as theirClient from 'langsmith/client'
import * as theirEvaluation from 'langsmith/evaluation'
import * as theirAISDK from 'langsmith/experimental/vercel'
import * as theirRunTrees from 'langsmith/run_trees'
import * as theirContext from 'langsmith/singletons/traceable'
import * as theirTraceable from 'langsmith/traceable'
import * as theirJestlike from 'langsmith/utils/jestlike'
import * as theirWrappers from 'langsmith/wrappers'
import { expect, it } from 'vitest'
import { MISSING_ENTRIES, MISSING_EXPORTS } from './differences.ts'

/** Entry points of both packages, and what only the published one exports there, with the reason. */
const ENTRIES: [entry: string, theirs: object, ours: object, missing: Record<string, string>][] = [
  ['.', theirs, ours, MISSING_EXPORTS],
  [
    './client',
    theirClient,
    ourClient,
    {
      AutoBatchQueue: 'internal: the queue of the published client; ours is built otherwise',
      _checkBackendVersion: 'internal: warns of servers of a cloud that are too old for it',
    },
  ],
  ['./anonymizer', theirAnonymizer, ourAnonymizer, {}],
  ['./evaluation', theirEvaluation, ourEvaluation, {}],
  ['./run_trees', theirRunTrees, ourRunTrees, {}],
  ['./singletons/traceable', theirContext, ourContext, {}],
  ['./traceable', theirTraceable, ourTraceable, {}],
  ['./wrappers', theirWrappers, ourWrappers, {}],
  [
    './experimental/vercel',
    theirAISDK,
    ourAISDK,
    { LangSmithTelemetry: 'for version 7 only, which `wrapAISDK` records too, and `@ai-sdk/otel` by OpenTelemetry' },
  ],
  [
    './utils/jestlike',
    theirJestlike,
    ourJestlike,
    { _objectHash: 'internal: how it tells examples apart; ours does so inside' },
  ],
]

it.each(ENTRIES)('the entry %s exports what the published one does, but for a short list with reasons', (...entry) => {
  const [, published, own, missing] = entry
  const kind = (of: object, name: string) => typeof (of as Record<string, unknown>)[name]
  const names = Object.keys(published)
  expect(names.length).toBeGreaterThan(1)
  expect(names.filter((name) => !(name in own)).sort()).toEqual(Object.keys(missing).sort())
  for (const name of names.filter((one) => one in own)) {
    expect([name, kind(own, name)]).toEqual([name, kind(published, name)])
  }
})

/** Subpaths that a package exports, as its package.json lists them; each once, though some have names for formats too. */
function entriesOf(name: string): string[] {
  const file = createRequire(import.meta.url).resolve(`${name}/package.json`)
  const { exports } = JSON.parse(readFileSync(file, 'utf8')) as { exports: object }
  return Object.keys(exports)
    .filter((entry) => entry !== './package.json' && !/\.m?js$/.test(entry))
    .flatMap((entry) =>
      entry.endsWith('/*') && !(entry in MISSING_ENTRIES) ? modulesIn(dirname(file), entry) : [entry],
    )
}

/** The modules that an entry such as `./wrappers/*` stands for. */
function modulesIn(packageFolder: string, entry: string): string[] {
  const folder = entry.slice(0, -2)
  return readdirSync(join(packageFolder, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => `${folder}/${file.slice(0, -4)}`)
}

it('the published package has no other entries than ours, but for a list with reasons', () => {
  const own = new Set(entriesOf('@touchstone/sdk'))
  const missing = entriesOf('langsmith').filter((entry) => !own.has(entry))
  expect(missing.sort()).toEqual(Object.keys(MISSING_ENTRIES).sort())
})
