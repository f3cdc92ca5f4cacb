import { describe, expect, it } from 'vitest'
import { NOUNS } from './resources/nouns.ts'
import { IngestClient } from './tracing/ingest-client.ts'
import { TracingClient } from './tracing/tracing-client.ts'

describe('the calls of a client', () => {
  it('have different names in all nouns and in tracing', () => {
    const classes = [TracingClient, IngestClient, ...Object.values(NOUNS)]
    const names = classes.flatMap(({ prototype }) =>
      Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor'),
    )
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})
