import { ApiObject } from 'cdk8s';
import type { IConstruct } from 'constructs';
import type { JsonMap } from '../../constructs/expr/json.ts';
import { ForEach } from '../../constructs/structure/for-each.ts';
import { Refusal } from '../../constructs/structure/refusal.ts';
import { When } from '../../constructs/structure/when.ts';
import { goTemplate, unwrapped } from './go-template.ts';
import { block, helmYaml } from './helm-yaml.ts';

/** The Helm back-end: a construct and everything inside it as the text of one template. */
export function helmTemplate(construct: IConstruct): string {
  return `${lines(construct).join('\n')}\n`;
}

function lines(construct: IConstruct): readonly string[] {
  if (construct instanceof ApiObject) return ['---', helmYaml(construct.toJson() as JsonMap).trimEnd()];
  if (construct instanceof Refusal) {
    const failure = `{{- fail ${goTemplate(construct.message.node)} }}`;
    return block(`if ${unwrapped(construct.condition.node)}`, [failure], 0);
  }
  const inner = construct.node.children.flatMap(lines);
  if (construct instanceof When) return block(`if ${unwrapped(construct.condition.node)}`, inner, 0);
  if (construct instanceof ForEach) {
    return block(`range ${construct.variable} := ${unwrapped(construct.list.node)}`, inner, 0);
  }
  return inner;
}
