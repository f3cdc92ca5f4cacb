import type { z } from 'zod'
import type { contract } from '../contract.ts'
import type { FamilyOf, PlainRoute } from './route.ts'

/*
 * The types that travel over a plain route, looked up in the contract by method, path and family. A client that calls
 * `routes.datasets.create` gets them without zod at run time.
 */

/** Body of a request as a client writes it; `unknown` when the route takes none or does not describe it. */
export type RouteBody<Plain extends PlainRoute> =
  Described<Plain> extends { readonly body: infer Shape extends z.ZodType } ? z.input<Shape> : unknown

/** Query of a request as a client writes it. */
export type RouteQuery<Plain extends PlainRoute> =
  Described<Plain> extends {
    readonly query: infer Shape extends z.ZodType
  }
    ? z.input<Shape>
    : unknown

/** Body of a successful answer; `unknown` when the route does not describe it. */
export type RouteAnswer<Plain extends PlainRoute> =
  Described<Plain> extends {
    readonly answer: infer Shape extends z.ZodType
  }
    ? z.output<Shape>
    : unknown

/** Parameters of a path: `{ dataset_id: string }` of `/datasets/{dataset_id}`. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Param in Name]: string } & PathParams<Rest>
  : unknown

type Nouns = typeof contract
type DescribedRoute = { [Noun in keyof Nouns]: Nouns[Noun][keyof Nouns[Noun]] }[keyof Nouns]
type Described<Plain extends PlainRoute> = Extract<
  DescribedRoute,
  { readonly method: Plain['method']; readonly path: Plain['path']; readonly family: FamilyOf<Plain> }
>
