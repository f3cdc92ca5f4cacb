import { FilterError } from '../error.ts'
import type { CallNode } from '../syntax.ts'
import type { Filter } from '../tree.ts'
import { readScalar } from '../values.ts'
import { comparing, insistOnArguments, type Operator, TEXTUAL } from './operator.ts'

const inField = comparing('search', TEXTUAL, false)

export const searchOperator: Operator = {
  name: 'search',
  form: 'search("words")  or  search(field, "text")',
  doc: 'Every word occurs somewhere in the name, the values of inputs, outputs and metadata, the error or the tags, in any order; case does not matter. With a field: the field contains the text.',
  examples: ['search("image classification")', 'search(name, "ChatOpenAI")'],
  read(call, context) {
    insistOnArguments(call, 1, 2, 'text, or a field and text')
    return call.args.length === 2 ? inField(call, context) : readFullText(call, context.surface.fullText)
  },
}

function readFullText(call: CallNode, isOffered: boolean): Filter {
  if (!isOffered) throw new FilterError(call.at, 'there is no full text to search here; name a field')
  const value = readScalar(call.args[0]!, 'text')
  if (value === null) throw new FilterError(call.args[0]!.at, 'search does not look for null')
  return { op: 'search', value: String(value) }
}
