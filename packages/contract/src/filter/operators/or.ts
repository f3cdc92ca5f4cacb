import { insistOnArguments, type Operator, readCalls } from './operator.ts'

export const orOperator: Operator = {
  name: 'or',
  form: 'or(filter, …)',
  doc: 'At least one of them holds.',
  examples: ['or(has(tags, "experimental"), has(tags, "beta"))'],
  read: (call, context) => {
    insistOnArguments(call, 1, Number.POSITIVE_INFINITY, 'one filter or more')
    return { op: 'or', args: readCalls(call, context) }
  },
}
