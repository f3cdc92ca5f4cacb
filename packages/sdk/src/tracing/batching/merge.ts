import { FIELD_NAMES, type Operation, weigh } from './operation.ts'

/**
 * Merges two operations on the same run. An update overrides its create, whichever came first. Of two creates or two
 * updates the later one overrides the earlier. Fields that the overriding one lacks are kept.
 */
export function merge(earlier: Operation, later: Operation): Operation {
  const reversed = earlier.kind === 'patch' && later.kind === 'post'
  const [under, over] = reversed ? [later, earlier] : [earlier, later]
  const fields = new Map(under.fields)
  for (const name of FIELD_NAMES) {
    const value = over.fields.get(name)
    if (value) fields.set(name, value)
  }
  return weigh({
    kind: under.kind === 'post' || over.kind === 'post' ? 'post' : 'patch',
    id: under.id,
    main: { ...under.main, ...over.main },
    fields,
    attachments: new Map([...under.attachments, ...over.attachments]),
    bytes: 0,
    wellFormed: under.wellFormed && over.wellFormed,
    settled: [...earlier.settled, ...later.settled],
  })
}
