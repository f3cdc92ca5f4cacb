/** The pictures of a trace, in the order of their keys, by Shift and a digit. */
export const TRACE_VIEWS = ['tree', 'waterfall', 'flame'] as const
export type TraceViewName = (typeof TRACE_VIEWS)[number]

/** What the colours of a trace may mean. */
export const COLOUR_BYS = ['type', 'latency', 'cost', 'model'] as const
export type ColourBy = (typeof COLOUR_BYS)[number]
