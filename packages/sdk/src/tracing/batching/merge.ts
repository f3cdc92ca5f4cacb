import { FIELD_NAMES, type Operation, weigh } from './operation.ts'

/**
 * Two operations on one run as one. An update lies over its create whichever came first; of two creates or two updates
 * the later one lies over the earlier. What the upper one does not mention shows through.
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
