import { insistOnArguments, type Operator, readCalls } from './operator.ts'

export const andOperator: Operator = {
  name: 'and',
  form: 'and(filter, …)',
  doc: 'All of them hold. Clauses on metadata, inputs, outputs or feedback that stand side by side in one `and` speak of the same entry; nest one `and` per entry to speak of several.',
  examples: [
    'and(eq(run_type, "llm"), gt(latency, "5s"))',
    'and(eq(metadata_key, "environment"), eq(metadata_value, "production"))',
  ],
  read: (call, context) => {
    insistOnArguments(call, 1, Number.POSITIVE_INFINITY, 'one filter or more')
    return { op: 'and', args: readCalls(call, context) }
  },
}
