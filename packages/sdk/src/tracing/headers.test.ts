import { describe, expect, it } from 'vitest'
import { RunTree } from '../run-trees.ts'

const trace = '0197f2a4-3c10-7d21-9b55-2f4b8e7a1c01'
const run = '0197f2a4-3c1a-7e02-8a10-5d0c9b3e4f02'
const path = `20250710T044219024000Z${trace}.20250710T044219034001Z${run}`

describe('trace headers', () => {
  it('carry the position, metadata, tags and project to the next process', () => {
    const tree = new RunTree({ name: 'a', project_name: 'ünï', metadata: { 'k=,': 'v' }, tags: ['a', 'b,c'] })
    const headers = new Headers({ baggage: 'theirs=1,langsmith-project=old' })
    const written = tree.toHeaders(headers)
    expect(headers.get('langsmith-trace')).toBe(tree.dotted_order)
    expect(written.baggage).toBe(headers.get('baggage'))
    expect(written.baggage).toMatch(/^theirs=1,langsmith-metadata=/)
    expect(written.baggage).not.toContain('old')
    const anchor = RunTree.fromHeaders(headers)!
    expect(anchor).toMatchObject({ id: tree.id, trace_id: tree.id, dotted_order: tree.dotted_order, name: 'parent' })
    expect(anchor).toMatchObject({ project_name: 'ünï', metadata: { 'k=,': 'v' }, tags: ['a', 'b,c'] })
    expect(anchor.distributedParentId).toBe(tree.id)
    const child = anchor.createChild({ name: 'child' })
    expect(child.parent_run_id).toBe(tree.id)
    expect(child.dotted_order.startsWith(`${tree.dotted_order}.`)).toBe(true)
  })

  it('are read from plain objects of Node servers too', () => {
    const anchor = RunTree.fromHeaders({ 'langsmith-trace': path, baggage: ['langsmith-tags=x%2Cy'] })
    expect(anchor).toMatchObject({ id: run, trace_id: trace, tags: ['x', 'y'] })
    expect(RunTree.fromDottedOrder(path)?.id).toBe(run)
  })

  it.each([
    ['nothing', {}],
    ['garbage', { 'langsmith-trace': 'garbage' }],
    ['an empty text', { 'langsmith-trace': '' }],
    ['a bad id', { 'langsmith-trace': '20250710T044219024000Znot-an-id' }],
    ['a bad time', { 'langsmith-trace': `20251399T044219024000Z${trace}` }],
    ['one bad segment of two', { 'langsmith-trace': `${path}.x` }],
    ['something else', { 'langsmith-trace': 7 as unknown as string }],
  ])('with %s are ignored', (_, headers) => {
    expect(RunTree.fromHeaders(headers)).toBeUndefined()
  })

  it.each([
    ['bad JSON', 'langsmith-metadata=%7Bbad'],
    ['bad encoding', 'langsmith-metadata=%E0%A4%A'],
    ['JSON that is no object', 'langsmith-metadata=%5B1%5D'],
    ['a member without a value', 'langsmith-metadata'],
    ['empty members', ',,='],
  ])('pass over baggage with %s', (_, baggage) => {
    const anchor = RunTree.fromHeaders({ 'langsmith-trace': path, baggage: `${baggage},langsmith-project=p` })
    expect(anchor).toMatchObject({ id: run, project_name: 'p', metadata: {} })
  })

  it('never fail to be written', () => {
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    const tree = new RunTree({ name: 'a', metadata: cyclic })
    expect(tree.toHeaders()['langsmith-trace']).toBe(tree.dotted_order)
    expect(new RunTree({ name: 'off', tracingEnabled: false }).toHeaders()).toEqual({})
  })
})
