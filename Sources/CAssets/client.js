// ListState's client. Made by .ci/join-client of Sources/CAssets/client; the types are in client.d.ts.
function partsOf(version){
const dash=version.lastIndexOf("-");
return[version.slice(0,dash),Number(version.slice(dash+1))];
}
function isKnown(version,held){
if(!version||!held)return false;
const[epoch,revision]=partsOf(version);
const[heldEpoch,heldRevision]=partsOf(held);
return epoch===heldEpoch&&revision<=heldRevision;
}
function isEqual(a,b){
if(a===b)return true;
if(typeof a!=="object"||typeof b!=="object"||a===null||b===null)return false;
if(Array.isArray(a)!==Array.isArray(b))return false;
const names=Object.keys(a);
if(names.length!==Object.keys(b).length)return false;
return names.every((name)=>Object.hasOwn(b,name)&&isEqual(a[name],b[name]));
}
function merged(target,patch){
if(typeof patch!=="object"||patch===null||Array.isArray(patch))return patch;
const isObject=typeof target==="object"&&target!==null&&!Array.isArray(target);
const members=new Map(isObject?Object.entries(target):[]);
for(const[name,value]of Object.entries(patch)){
if(value===null)members.delete(name);
else members.set(name,merged(members.get(name),value));
}
return Object.fromEntries(members);
}
function makeKey(){
const bytes=crypto.getRandomValues(new Uint8Array(16));
bytes[6]=bytes[6]&0x0f|0x40;
bytes[8]=bytes[8]&0x3f|0x80;
const digits=[...bytes].map((byte)=>byte.toString(16).padStart(2,"0")).join("");
return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/,"$1-$2-$3-$4-$5");
}
function heaviestOrder(ranks,weights){
const size=ranks.reduce((most,rank)=>Math.max(most,rank),0)+1;
const ends=new Int32Array(size+1).fill(-1);
const sums=new Float64Array(ranks.length),before=new Int32Array(ranks.length);
let best=-1;
for(let i=0;i<ranks.length;i+=1){
let end=-1;
for(let at=ranks[i];at>0;at-=at&-at){
if(ends[at]>=0&&(end<0||sums[ends[at]]>sums[end]))end=ends[at];
}
before[i]=end;
sums[i]=weights[i]+(end<0?0:sums[end]);
if(best<0||sums[i]>sums[best])best=i;
for(let at=ranks[i]+1;at<=size;at+=at&-at){
if(ends[at]<0||sums[i]>sums[ends[at]])ends[at]=i;
}
}
const stays=new Uint8Array(ranks.length);
for(;best>=0;best=before[best])stays[best]=1;
return stays;
}
class Mismatch extends Error{}
class Row{
item=null;
chunk=null;
kids=0;
above=null;
level=0;
_b=false;
shown=null;
_u=null;
_w=0;
_v=0;
_a=false;
mark=0;
rank=0;
turn=0;
_d=false;
_f=false;
_e=false;
_c=false;
_y=false;
_r=null;
_l=null;
at=0;
_s=null;
_o=0;
_p=0;
_i=0;
_j=0;
constructor(id){
this.id=id;
}
get section(){
return this.chunk?.section??null;
}
}
class Chunk{
rows=[];
count=0;
start=0;
list=null;
turn=0;
_q=[];
_g=false;
_n=0;
origin=null;
leaving=[];
coming=[];
constructor(section){
this.section=section;
}
}
class Section{
chunks=[];
_m=[];
turn=0;
_x=0;
value=null;
_k=-1;
_h=-1;
_t=null;
carried=[];
constructor(values){
this.values=values;
}
get id(){
return this.values.id;
}
get last(){
return this.chunks.at(-1)?.rows.at(-1)??null;
}
}
const chunkMax=512;
class Forest{
rows=new Map();
sections=[];
properties={};
turn=1;
touched=[];
touchedSections=[];
opened=[];
outdated=[];
oldSections=[];
oldProperties={};
log=null;
#p=new Map();
#o=[];
#br=0;
constructor(isWhole,showsHidden){
this.isWhole=isWhole;
this.showsHidden=showsHidden;
}
begin(){
this.turn+=1;
this.touched=[];
this.touchedSections=[];
this.opened=[];
this.outdated=[];
this.oldSections=this.sections;
this.oldProperties=this.properties;
this.#p.clear();
}
make(id){
return this.#p.get(id)??new Row(id);
}
makeSection(values){
const section=this.#p.get(`section ${values.id}`);
if(!section)return new Section(values);
this.setValues(section,values);
return section;
}
enter(row){
row._a=true;
this.rows.set(row.id,row);
this.log?.push(()=>this.leave(row));
}
leave(row){
this.#k(row);
row._a=false;
this.rows.delete(row.id);
this.#p.set(row.id,row);
this.log?.push(()=>this.enter(row));
}
put(row,section,left){
this.#k(row)._d=true;
this.#ag(section);
let chunk=left?left.chunk:section.chunks[0];
if(!chunk){
chunk=new Chunk(section);
section.chunks.push(chunk);
}
this.#aq(chunk);
chunk.rows.splice(left?chunk.rows.indexOf(left)+1:0,0,row);
if(!row._b)chunk.count+=1;
row.chunk=chunk;
if(chunk.rows.length>chunkMax)this.#bv(chunk);
this.#aj(row);
this.#o.push(row);
this.log?.push(()=>this.take(row));
}
take(row){
this.#k(row)._d=true;
const{chunk,section}=row;
this.#ag(section);
this.#aq(chunk);
const at=chunk.rows.indexOf(row);
const left=at>0?chunk.rows[at-1]:this.#ba(chunk);
chunk.rows.splice(at,1);
if(!row._b)chunk.count-=1;
if(chunk.rows.length===0)section.chunks.splice(section.chunks.indexOf(chunk),1);
row.chunk=null;
this.#aj(row);
this.log?.push(()=>this.put(row,section,left));
}
drop(row){
this.take(row);
this.leave(row);
}
dropSection(section){
for(let row=section.last;row;row=section.last)this.drop(row);
this.setSections(this.sections.filter((other)=>other!==section));
}
setItem(row,item){
if(row.item===item)return;
this.#k(row);
const old=row.item;
row.item=item;
if(old)this.log?.push(()=>this.setItem(row,old));
if(!this.isWhole){
row.level=item.level??0;
return;
}
this.#aj(row);
if(old?.parent!==item.parent||!old?.expanded!==!item.expanded)this.#o.push(row);
}
setSections(sections){
const old=this.sections;
this.log?.push(()=>this.setSections(old));
const present=new Set(sections);
for(const section of this.sections)if(!present.has(section))this.#p.set(`section ${section.id}`,section);
this.sections=sections;
}
setValues(section,values){
if(isEqual(section.values,values))return;
this.#ag(section);
const old=section.values;
this.log?.push(()=>this.setValues(section,old));
section.values=values;
}
setProperties(properties){
const old=this.properties;
this.log?.push(()=>this.setProperties(old));
this.properties=properties;
}
rewind(log){
this.log=null;
for(let i=log.length-1;i>=0;i-=1)log[i]();
}
at(section,index){
for(const{rows}of section.chunks){
if(index<rows.length)return rows[index];
index-=rows.length;
}
return null;
}
before(row){
const at=row.chunk.rows.indexOf(row);
return at>0?row.chunk.rows[at-1]:this.#ba(row.chunk);
}
subtree(row){
const found=[row];
this.#al(row,(next)=>next.level>row.level&&found.push(next));
return found;
}
lastOfSubtree(row){
let last=row;
this.#al(row,(next)=>next.level>row.level&&(last=next));
return last;
}
#al(row,visit){
if(this.isWhole&&row.kids===0)return;
const{chunks}=row.section;
let at=row.chunk.rows.indexOf(row)+1;
for(let c=chunks.indexOf(row.chunk);c<chunks.length;c+=1,at=0){
const{rows}=chunks[c];
for(;at<rows.length;at+=1)if(!visit(rows[at]))return;
}
}
#ba(chunk){
const{chunks}=chunk.section;
return chunks[chunks.indexOf(chunk)-1]?.rows.at(-1)??null;
}
settle(){
if(!this.isWhole)this.#o.length=0;
for(const row of this.#o){
if(!row.chunk)continue;
this.#ay(row);
if(row.kids===0)continue;
const mark=this.#br+=1;
row.mark=mark;
this.#al(row,(next)=>{
if(this.rows.get(next.item.parent)?.mark!==mark)return false;
next.mark=mark;
this.#ay(next);
return true;
});
}
this.#o.length=0;
}
#ay(row){
const parent=row.item.parent===undefined?null:this.rows.get(row.item.parent)??null;
const level=parent?parent.level+1:0;
const _b=!this.showsHidden&&parent!==null&&(parent._b||!parent.item.expanded);
if(row.level!==level)this.#k(row).level=level;
if(row._b===_b)return;
this.#k(row)._d=true;
this.#ag(row.section);
this.#aq(row.chunk);
row._b=_b;
row.chunk.count+=_b?-1:1;
}
#aj(row){
if(!this.isWhole)return;
const parent=row.chunk&&row.item.parent!==undefined?this.rows.get(row.item.parent)??null:null;
if(parent===row.above)return;
if(row.above)this.#k(row.above).kids-=1;
if(parent)this.#k(parent).kids+=1;
row.above=parent;
}
#k(row){
if(row.turn!==this.turn){
const isThere=row.chunk!==null&&row._a;
row.turn=this.turn;
row._d=false;
row._f=row._e=false;
row._l=isThere&&row.chunk.turn===this.turn&&row.chunk.origin||row.chunk;
row._r=isThere?row.section:null;
row._y=isThere&&!row._b;
row._s=isThere?this.shown(row):null;
this.touched.push(row);
if(isThere)this.#be(row.section);
}
return row;
}
#be(section){
if(!section.value)return;
this.outdated.push([section,section.value]);
section.value=null;
}
#ag(section){
this.#be(section);
if(section.turn===this.turn)return;
section.turn=this.turn;
section._m=section.chunks;
section._t=section.values;
section.chunks=[...section.chunks];
this.touchedSections.push(section);
}
#aq(chunk){
if(chunk.turn===this.turn)return;
chunk.turn=this.turn;
this.opened.push(chunk);
chunk._q=chunk.rows;
chunk._n=chunk.count;
chunk.origin=null;
chunk.rows=chunk.rows.slice();
}
#bv(chunk){
const half=new Chunk(chunk.section);
half.turn=this.turn;
half.origin=chunk.origin??chunk;
half.rows=chunk.rows.splice(chunkMax / 2);
for(const row of half.rows)row.chunk=half;
half.count=half.rows.reduce((count,row)=>count+(row._b?0:1),0);
chunk.count-=half.count;
const{chunks}=chunk.section;
chunks.splice(chunks.indexOf(chunk)+1,0,half);
}
shown(row){
if(!this.isWhole||this.showsHidden)return row.item;
const{item,level,kids}=row;
if(row._u!==item||row._w!==level||row._v!==kids){
row.shown=kids>0?{...item,level,childCount:kids}:{...item,level};
row._u=item;
row._w=level;
row._v=kids;
}
return row.shown;
}
shownSection(section){
if(section.value)return section.value;
for(const chunk of section.chunks){
if(chunk.list)continue;
chunk.list=[];
for(const row of chunk.rows)if(!row._b)chunk.list.push(this.shown(row));
}
section.value={...section.values,items:[].concat(...section.chunks.map(({list})=>list))};
return section.value;
}
}
function replaceAll(forest,snapshot){
forest.log=null;
for(const section of[...forest.sections].reverse()){
for(let row=section.last;row;row=section.last)forest.drop(row);
}
const sections=(snapshot.sections??[]).map(({items,...values})=>({items,values}));
const old=new Map(forest.sections.map((section)=>[section.id,section]));
forest.setSections(sections.map(({values})=>{
const section=old.get(values.id);
if(!section)return forest.makeSection(values);
forest.setValues(section,values);
return section;
}));
sections.forEach(({items},index)=>fill(forest,forest.sections[index],items));
const{title,layout}=snapshot;
forest.setProperties(layout===undefined?{title}:{title,layout});
forest.settle();
}
function fill(forest,section,items=[]){
let left=null;
for(const item of items)left=putNew(forest,item,section,left);
}
function putNew(forest,item,section,left){
if(forest.rows.has(item.id))throw new Mismatch(`${item.id} is there already.`);
const row=forest.make(item.id);
forest.enter(row);
forest.setItem(row,item);
forest.put(row,section,left);
return row;
}
function applyChanges(forest,{items={},sections={},properties}){
forest.log=null;
const held=(id)=>forest.rows.get(id)??raise(`There is no ${id}.`);
const sectionAt=(index)=>forest.sections[index]??raise(`There is no section ${index}.`);
const moving=(items.moved??[]).map(({id,to})=>({...to,row:held(id)}));
for(const{id}of items.deleted??[])forest.drop(held(id));
for(const{row}of moving)forest.take(row);
rearrange(forest,sections);
const coming=[...moving,...(items.inserted??[])];
for(const{section,index,item,row}of coming.sort((a,b)=>a.section-b.section||a.index-b.index)){
const target=sectionAt(section);
const left=index===0?null:forest.at(target,index-1)??raise(`There is no place ${index}.`);
if(row)forest.put(row,target,left);
else putNew(forest,item,target,left);
}
for(const{item}of items.reconfigured??[])renew(forest,held(item.id),item);
for(const{item}of items.reloaded??[])reload(forest,held(item.id),item);
for(const{index,section}of sections.reconfigured??[])forest.setValues(sectionAt(index),section);
for(const{index,section:{items:rows=[],...values}}of sections.reloaded??[]){
forest.setValues(sectionAt(index),values);
for(const item of rows)reload(forest,held(item.id),item);
}
if(properties){
const{title,layout}={...forest.properties,...properties};
forest.setProperties(layout===null||layout===undefined?{title}:{title,layout});
}
forest.settle();
}
function renew(forest,row,item){
const _f=isEqual(row.item,item);
forest.setItem(row,item);
row._f=_f;
}
function reload(forest,row,item){
const isAsked=row.item.kind===item.kind;
renew(forest,row,{...item});
row._e=isAsked;
}
function rearrange(forest,{deleted=[],moved=[],inserted=[]}){
if(deleted.length+moved.length+inserted.length===0)return;
const held=(id,index)=>
forest.sections[index]?.id===id?forest.sections[index]:raise(`Section ${index} is not ${id}.`);
const leaving=new Set(),coming=[];
for(const{id,index}of deleted){
const section=held(id,index);
for(let row=section.last;row;row=section.last)forest.drop(row);
leaving.add(section);
}
for(const{id,from,to}of moved){
leaving.add(held(id,from));
coming.push({index:to,section:held(id,from)});
}
const filled=inserted.map(({index,section:{items,...values}})=>{
const section=forest.makeSection(values);
coming.push({index,section});
return{section,items};
});
const sections=forest.sections.filter((section)=>!leaving.has(section));
for(const{index,section}of coming.sort((a,b)=>a.index-b.index))sections.splice(index,0,section);
forest.setSections(sections);
for(const{section,items}of filled)fill(forest,section,items);
}
function raise(text){
throw new Mismatch(text);
}
function difference(forest){
for(const chunk of forest.opened){
chunk._g=_g(chunk.rows,chunk._q);
if(!chunk._g)chunk.list=null;
}
for(const row of forest.touched){
row._c=row._y&&isShown(row)&&hasOtherContent(forest,row);
const isThere=isShown(row);
if(row.chunk&&(row._c||row._y!==isThere))row.chunk.list=null;
if(row._y===isThere&&row._l===row.chunk&&row.chunk?._g)row._d=false;
if(!row._d)continue;
if(row._y)row._l.leaving.push(row);
if(isThere)row.chunk.coming.push(row);
}
const parts={sections:sectionParts(forest),items:{}};
const isOld=(section)=>section!==null&&section._k>=0;
const isNew=(section)=>section!==null&&section._h>=0;
for(const section of forest.touchedSections)if(isOld(section)&&isNew(section))scanBoth(forest,section);
const deleted=[],inserted=[],moved=[],reconfigured=[],reloaded=[],ids=new Set(),others=new Set();
for(const row of forest.touched){
const isThere=isShown(row);
if(row._d&&row._y)row._l.leaving=[];
if(row._d&&isThere)row.chunk.coming=[];
const{_r,section,_c}=row;
if(!isThere&&!row._y)ids.add(row.id);
if(isThere===row._y&&!_c&&(!isThere||_r===section&&row.mark>=0))continue;
if(_c||isThere!==row._y)ids.add(row.id);
const hasMoved=row._d&&(_r!==section||row.mark<0);
if(_c||hasMoved||isThere!==row._y)others.add(isThere&&section).add(row._y&&_r);
const leaves=row._y&&isNew(_r),comes=isThere&&isOld(section);
if(leaves&&comes){
const to=()=>({section:section._h,index:row._d?row._i:shownIndex(forest,row)});
if(hasMoved)moved.push({id:row.id,from:{section:_r._k,index:row._o},to:to()});
if(_c)(row._e||row._s.kind!==row.item.kind?reloaded:reconfigured)
.push({...to(),item:forest.shown(row)});
}else if(leaves){
deleted.push({id:row.id,section:_r._k,index:row._o});
}else if(comes){
inserted.push({section:section._h,index:row._i,item:forest.shown(row)});
}
if(row.mark<0)row.mark=0;
}
for(const section of forest.touchedSections){
moved.push(...section.carried);
if(section.carried.length>0||!isEqual(section.values,section._t))others.add(section);
section.carried=[];
}
for(const[section,value]of forest.outdated)if(!others.has(section))section.value=value;
const place=(entry)=>entry.to??entry;
const ascending=(a,b)=>place(a).section-place(b).section||place(a).index-place(b).index;
deleted.sort((a,b)=>ascending(b,a));
for(const[name,entries]of Object.entries({deleted,inserted,moved,reconfigured,reloaded})){
if(entries.length>0)parts.items[name]=name==="deleted"?entries:entries.sort(ascending);
}
const changes={};
for(const name of["sections","items"])if(Object.keys(parts[name]).length>0)changes[name]=parts[name];
const properties=propertyParts(forest);
if(properties)changes.properties=properties;
return{changes,ids};
}
function _g(a,b){
if(a.length!==b.length)return false;
for(let i=0;i<a.length;i+=1)if(a[i]!==b[i])return false;
return true;
}
function isShown(row){
return row._a&&!row._b&&row.chunk!==null;
}
function hasOtherContent(forest,row){
const shown=forest.shown(row);
if(shown===row._s)return false;
if(row._f||row._e||!isEqual(shown,row._s))return true;
if(shown===row.item)row.item=row._s;
else row.shown=row._s;
return false;
}
function propertyParts({properties:{title,layout},oldProperties:old}){
const changed={};
if(title!==old.title)changed.title=title;
if(!isEqual(layout,old.layout))changed.layout=layout??null;
return Object.keys(changed).length>0?changed:null;
}
function sectionParts(forest){
const{oldSections,sections}=forest;
const parts={};
const add=(name,entry)=>(parts[name]??=[]).push(entry);
for(const section of forest.touchedSections)section._h=section._k=-1;
for(const section of[...oldSections,...sections])section._h=section._k=-1;
oldSections.forEach((section,index)=>(section._k=index));
sections.forEach((section,index)=>(section._h=index));
if(oldSections!==sections){
const kept=sections.filter((section)=>section._k>=0);
const stays=heaviestOrder(kept.map((section)=>section._k),kept.map(()=>1));
for(const section of oldSections)if(section._h<0)add("deleted",{id:section.id,index:section._k});
parts.deleted?.reverse();
for(const section of sections){
if(section._k<0)add("inserted",{index:section._h,section:forest.shownSection(section)});
}
kept.forEach((section,index)=>{
if(!stays[index])add("moved",{id:section.id,from:section._k,to:section._h});
});
}
for(const section of sections){
if(section._k<0||section.turn!==forest.turn||isEqual(section.values,section._t))continue;
add("reconfigured",{index:section._h,section:section.values});
}
return parts;
}
function shownIndex(forest,row){
const{section}=row;
if(section._x!==forest.turn){
section._x=forest.turn;
let start=0;
for(const chunk of section.chunks){
chunk.start=start;
start+=chunk.count;
}
}
let index=row.chunk.start;
for(const other of row.chunk.rows){
if(other===row)return index;
if(!other._b)index+=1;
}
return index;
}
function scanBoth(forest,section){
const leaving=scan(forest,section,true),coming=scan(forest,section,false);
let old=leaving.filter((row)=>row.section===section&&isShown(row));
let now=coming.filter((row)=>row._y&&row._r===section);
let first=0,last=now.length;
const isAlike=(index)=>old[index]===now[index]&&now[index]._p===now[index]._j;
while(first<last&&isAlike(first))first+=1;
while(last>first&&isAlike(last-1))last-=1;
if(first===last)return;
old=old.slice(first,last);
now=now.slice(first,last);
const rests=Float64Array.from([...old.map((row)=>row._p),...now.map((row)=>row._j)]).sort();
const cuts=rests.filter((rest,index)=>index===0||rest!==rests[index-1]);
const blockRanks=new Float64Array(cuts.length),elements=[],ranks=[],weights=[];
for(let block=0,at=0,rank=0;block<cuts.length;block+=1){
blockRanks[block]=rank++;
for(;at<old.length&&old[at]._p===cuts[block];at+=1)old[at].rank=rank++;
}
for(let block=0,at=0;block<cuts.length;block+=1){
const size=block>0?cuts[block]-cuts[block-1]:0;
elements.push(block);
ranks.push(blockRanks[block]);
weights.push(size*2**22+size);
for(;at<now.length&&now[at]._j===cuts[block];at+=1){
elements.push(now[at]);
ranks.push(now[at].rank);
weights.push(2**22);
}
}
const stays=heaviestOrder(ranks,weights);
const blocks=[];
elements.forEach((element,index)=>{
if(stays[index])return;
if(typeof element!=="number")element.mark=-1;
else if(element>0)blocks.push([cuts[element-1],cuts[element]]);
});
if(blocks.length>0)section.carried=carriedRows(forest,section,blocks);
}
function scan(forest,section,isOld){
const placed=[];
let start=0;
for(const chunk of isOld?section._m:section.chunks){
const isOpened=isOld&&chunk.turn===forest.turn,rows=isOpened?chunk._q:chunk.rows;
const count=isOpened?chunk._n:chunk.count,own=isOld?chunk.leaving:chunk.coming;
if(own.length>0){
if(count===rows.length)for(const row of own)row.at=rows.indexOf(row);
else locate(forest,rows,isOld);
own.sort((a,b)=>a.at-b.at);
for(const row of own){
const index=start+row.at,rest=index-placed.length;
placed.push(row);
if(isOld)row._o=index,row._p=rest;
else row._i=index,row._j=rest;
}
}
start+=count;
}
return placed;
}
function locate(forest,rows,isOld){
let at=0;
for(const row of rows){
row.at=at;
if(isOld&&row.turn===forest.turn&&row._d?row._y:!row._b)at+=1;
}
}
function carriedRows(forest,section,blocks){
const moves=new Map();
for(const isOld of[true,false]){
let index=0,rest=0;
for(const chunk of isOld?section._m:section.chunks){
for(const row of isOld&&chunk.turn===forest.turn?chunk._q:chunk.rows){
const _d=row.turn===forest.turn&&row._d;
if(_d&&isOld?!row._y:row._b)continue;
if(!_d){
const at=rest;
if(blocks.some(([from,to])=>from<=at&&at<to)){
if(isOld)moves.set(row,{id:row.id,from:{section:section._k,index}});
else moves.get(row).to={section:section._h,index};
}
rest+=1;
}
index+=1;
}
}
}
return[...moves.values()];
}
class Edits{
operations=[];
constructor(list){
this.list=list;
}
move(item,place){
this.operation({op:"moveItem",item,...place});
}
add(items,place={}){
const named=[items].flat().map((item)=>typeof item==="string"||item.id?item:{id:makeKey(),...item});
const{at,...container}=place;
const first=at==="first"?this.list.firstIn(container):null;
const target=first?{before:first}:container;
const op=target.before!==undefined||target.after!==undefined?"insertItems":"appendItems";
this.operation({op,items:named,...target});
const ids=named.map((item)=>item.id??item);
return Array.isArray(items)?ids:ids[0];
}
update(item,{replace=false,...members}){
const merge=members.content!==undefined&&!replace?{merge:true}:{};
this.operation({op:"updateItem",item,...members,...merge});
}
delete(items){
this.operation({op:"deleteItems",items:[items].flat()});
}
star(items,isStarred=true){
this.operation({op:isStarred?"starItems":"unstarItems",items:[items].flat()});
}
expand(items,isExpanded=true){
this.operation({op:isExpanded?"expandItems":"collapseItems",items:[items].flat()});
}
reorder(items){
const places=this.list.placesOf(items);
const known=items.filter((_,index)=>places[index]>=0);
const stays=heaviestOrder(places.filter((place)=>place>=0),known.map(()=>1));
const first=stays.indexOf(1);
known.forEach((item,index)=>{
if(stays[index])return;
this.move(item,index<first?{before:known[first]}:{after:known[index-1]});
});
}
operation(operation){
this.operations.push(operation);
}
}
const made=new WeakMap();
function remembered(operation,item,id,parent,make){
let memory=made.get(operation);
if(!memory)made.set(operation,memory=new Map());
const known=memory.get(id);
if(known&&known.from===item&&known.parent===parent)return known.to;
const wanted=make(),to=isEqual(item,wanted)?item:wanted;
memory.set(id,{from:item,parent,to});
return to;
}
function perform(forest,operations,log){
forest.log=log;
let isClean=true;
for(const operation of operations){
const act=Object.hasOwn(acts,operation.op)?acts[operation.op]:null;
if(act?.(forest,operation)===false)isClean=false;
forest.settle();
}
forest.log=null;
return isClean;
}
const acts={
appendItems:placeItems,
insertItems:placeItems,
moveItem(forest,operation){
const row=forest.rows.get(operation.item);
const place=placeOf(forest,operation);
return Boolean(row&&place)&&move(forest,operation,row,place);
},
deleteItems(forest,{items}){
return eachRow(forest,items,(row)=>forest.subtree(row).reverse().forEach((each)=>forest.drop(each)));
},
deleteAllItems(forest){
for(const section of[...forest.sections].reverse())forest.dropSection(section);
},
updateItem(forest,operation){
return eachRow(forest,[operation.item],(row)=>give(forest,operation,row,operation));
},
starItems:flag("starred",true),
unstarItems:flag("starred",false),
expandItems:flag("expanded",true),
collapseItems:flag("expanded",false),
appendSections:placeSections,
insertSections:placeSections,
deleteSections(forest,{sections}){
for(const id of sections){
const section=sectionOf(forest,id);
if(section)forest.dropSection(section);
}
},
moveSection(forest,{section:id,before,after}){
const section=sectionOf(forest,id),anchor=sectionOf(forest,before??after);
if(!section||!anchor||section===anchor)return false;
const others=forest.sections.filter((other)=>other!==section);
others.splice(others.indexOf(anchor)+(before===undefined?1:0),0,section);
if(others.some((other,index)=>other!==forest.sections[index]))forest.setSections(others);
},
updateSection(forest,{op,section:id,...members}){
const section=sectionOf(forest,id);
if(!section)return false;
const names=["title","layout","header","footer","reorderable"];
forest.setValues(section,withMembers(section.values,members,names));
},
updateList(forest,operation){
forest.setProperties(withMembers(forest.properties,operation,["title","layout"]));
},
};
function flag(name,value){
return(forest,operation)=>
eachRow(forest,operation.items,(row)=>give(forest,operation,row,{[name]:value}));
}
function eachRow(forest,ids,visit){
let areThere=true;
for(const id of ids){
const row=forest.rows.get(id);
if(row)visit(row);
else areThere=false;
}
return areThere;
}
function sectionOf(forest,id){
return forest.sections.find((section)=>section.id===id);
}
function withMembers(old,members,names){
const values={...old};
const defaults={starred:false,expanded:false,reorderable:true};
for(const name of names){
if(members[name]===undefined)continue;
if(members[name]===null||members[name]===defaults[name])delete values[name];
else values[name]=members[name];
}
return values;
}
function give(forest,operation,row,members){
forest.setItem(row,remembered(operation,row.item,row.id,null,()=>itemWith(row.item,members)));
}
function itemWith(old,{kind,content,merge,...flags}){
const item=withMembers(old,flags,["starred","expanded","reorderable"]);
if(kind!==undefined)item.kind=kind??"item";
if(content!==undefined)item.content=merge?merged(item.content,content):content??{};
return item;
}
function placeOf(forest,{before,after,section,parent,at="last"}){
const anchorID=before??after;
if(anchorID!==undefined){
const anchor=forest.rows.get(anchorID);
if(!anchor)return null;
const left=before!==undefined?forest.before(anchor):forest.lastOfSubtree(anchor);
return{section:anchor.section,parent:anchor.item.parent,left,level:anchor.level};
}
if(parent!==undefined){
const row=forest.rows.get(parent);
if(!row)return null;
const left=at==="first"?row:forest.lastOfSubtree(row);
return{section:row.section,parent,left,level:row.level+1};
}
const target=section===undefined?forest.sections.at(-1):sectionOf(forest,section);
return target?{section:target,parent:undefined,left:at==="first"?null:target.last,level:0}:null;
}
function move(forest,operation,row,{section,parent,left,level}){
const rows=forest.subtree(row);
if(parent!==undefined&&rows.some((each)=>each.id===parent))return false;
const own=forest.before(row);
const target=row.section===section&&(left===row||rows.length>1&&rows.includes(left))?own:left;
const isInPlace=target===own&&row.section===section;
if(isInPlace&&row.item.parent===parent)return true;
if(!isInPlace)for(let i=rows.length-1;i>=0;i-=1)forest.take(rows[i]);
if(row.item.parent!==parent||!forest.isWhole){
const make=()=>itemAt(row.item,parent,level,forest.isWhole);
forest.setItem(row,remembered(operation,row.item,`place of ${row.id}`,above(forest,{parent,level}),make));
}
if(isInPlace)return true;
let last=target;
for(const each of rows){
forest.put(each,section,last);
last=each;
}
return true;
}
function above({isWhole},{parent,level}){
return isWhole?parent:level;
}
function itemAt({parent:_,...item},parent,level,isWhole){
if(isWhole)return parent===undefined?item:{...item,parent};
return item.level===undefined?item:{...item,level};
}
function placeItems(forest,operation){
const place=placeOf(forest,operation);
return place!==null&&placeForest(forest,operation,operation.items,place);
}
function placeForest(forest,operation,items,place){
let last=null,isClean=true;
for(const one of items){
const given=typeof one==="string"?{id:one}:one,{id,parent}=given;
const target=parent!==undefined&&parent!==null?placeOf(forest,{parent}):
last?{...place,left:forest.lastOfSubtree(last)}:place;
let row=forest.rows.get(id);
if(!target||(!row&&given!==one)){
isClean=false;
continue;
}
if(row){
isClean=move(forest,operation,row,target)&&isClean;
give(forest,operation,row,given);
}else{
row=forest.make(id);
forest.enter(row);
forest.setItem(row,remembered(operation,null,id,above(forest,target),()=>newItem(forest,target,given)));
forest.put(row,target.section,target.left);
}
forest.settle();
if(parent===undefined||parent===null)last=row;
}
return isClean;
}
function newItem(forest,{parent,level},{id,kind,content,...flags}){
const item={id,kind:kind??"item",content:content??{}};
if(forest.isWhole&&parent!==undefined)item.parent=parent;
if(!forest.isWhole&&level>0)item.level=level;
return withMembers(item,flags,["starred","expanded","reorderable"]);
}
function placeSections(forest,operation){
const anchorID=operation.before??operation.after;
const anchor=anchorID===undefined?null:sectionOf(forest,anchorID);
if(anchor===undefined)return false;
let at=anchor?forest.sections.indexOf(anchor)+(operation.before===undefined?1:0):forest.sections.length;
let isClean=true;
for(const given of operation.sections){
const{items=[],...values}=typeof given==="string"?{id:given}:given;
if(sectionOf(forest,values.id)){
isClean=false;
continue;
}
const section=forest.makeSection(withMembers({id:values.id},values,Object.keys(values)));
forest.setSections(forest.sections.toSpliced(at,0,section));
at+=1;
isClean=placeForest(forest,operation,items,{section,parent:undefined,left:null,level:0})&&isClean;
}
return isClean;
}
const delayMin=250,delayMax=10_000;
const silenceMax=45_000;
const answerMax=20_000;
class Refused extends Error{
constructor(status,problem){
super(problem?.detail||problem?.title||`The server answered ${status}.`);
this.status=status;
this.problem=problem??{status};
}
get mayPass(){
return this.status>=500&&this.status!==501||[408,429].includes(this.status)||
this.problem.code==="key_in_flight";
}
}
class Patience{
delay=delayMin;
wanted=0;
#bl=()=>{};
async pause(){
const least=Math.max(this.delay,this.wanted);
this.delay=Math.min(this.delay*2,delayMax);
this.wanted=0;
await new Promise((resolve)=>{
const timer=setTimeout(resolve,least*(0.75+Math.random()/ 2));
this.#bl=()=>resolve(clearTimeout(timer));
});
}
wake(){
this.#bl();
}
reset(){
this.delay=delayMin;
}
}
class Wire{
#n;
#ao=false;
constructor(url,token){
this.url=url.replace(/\/$/,"");
this.#n=token;
this.secret=null;
}
async headers(){
if(this.#n===undefined)return{};
if(this.secret===null||this.#ao){
this.#ao=false;
this.secret=typeof this.#n==="function"?await this.#n():this.#n;
}
return this.secret?{Authorization:`Bearer ${this.secret}`}:{};
}
async fetch(path,{headers,...options}={}){
for(let isAgain=false;;isAgain=true){
const own=await this.headers(),{secret}=this;
const response=await fetch(this.url+path,{cache:"no-store",...options,headers:{...headers,...own}});
if(response.ok)return response;
const text=await response.text();
if(response.status===401&&secret===this.secret)this.#ao=true;
if(response.status===401&&!isAgain&&typeof this.#n==="function")continue;
const refused=new Refused(response.status,parsed(text));
refused.retryAfter=Number(response.headers.get("Retry-After"))*1000||0;
throw refused;
}
}
async ask(method,path,{body,key}={}){
const headers={Accept:"application/json"};
if(body!==undefined)headers["Content-Type"]="application/json";
if(key!==undefined)Object.assign(headers,{"Idempotency-Key":key,Prefer:"return=minimal"});
const data=body===undefined?undefined:JSON.stringify(body);
const response=await this.fetch(path,{method,headers,body:data,signal:AbortSignal.timeout(answerMax)});
const text=await response.text();
const version=response.headers.get("List-Version");
return text===""?{version}:{version,...JSON.parse(text)};
}
}
function parsed(text){
try{
return JSON.parse(text);
}catch{
return null;
}
}
function pathOf(list,...segments){
return `/v1/lists/${[list, ...segments].map(encodeURIComponent).join("/")}`;
}
function queryOf(members){
const query=new URLSearchParams();
for(const[name,value]of Object.entries(members)){
for(const one of[value].flat())if(one!==undefined)query.append(name,one);
}
const text=query.toString();
return text&&`?${text}`;
}
async function readEvents(body,onEvent){
const reader=body.pipeThrough(new TextDecoderStream()).getReader();
let pieces=[],event={},watch;
const take=(line)=>{
if(line===""){
if(event.data!==undefined||event.id!==undefined)onEvent(event);
event={};
}else if(!line.startsWith(":")){
const[,field,value]=/^([^:]*):? ?(.*)$/.exec(line);
event[field]=field==="data"&&event.data!==undefined?`${event.data}\n${value}`:value;
}
};
try{
for(;;){
watch=setTimeout(()=>reader.cancel(),silenceMax);
const{done,value}=await reader.read();
clearTimeout(watch);
if(done)return;
const[first,...lines]=value.split("\n");
pieces.push(first);
for(const line of lines){
take(pieces.join("").replace(/\r$/,""));
pieces=[line];
}
}
}finally{
clearTimeout(watch);
reader.cancel().catch(()=>{});
}
}
class Feed{
lists=new Map();
state="connecting";
#v=null;
#d=new Patience();
#c=false;
#ap=false;
constructor(wire,view,onEvent,onState){
Object.assign(this,{wire,view,onEvent,onState});
}
follow(list,version){
this.lists.set(list,version);
this.connect();
}
drop(list){
if(this.lists.delete(list)&&this.lists.size===0)this.close();
}
close(){
this.#c=true;
this.#v?.abort();
this.#d.wake();
}
connect(){
this.#d.wake();
if(this.#ap)return;
this.#ap=true;
queueMicrotask(()=>{
this.#ap=false;
const isRunning=this.#v!==null;
this.#v?.abort();
if(!isRunning)this.#r();
});
}
async #r(){
while(!this.#c){
const abort=this.#v=new AbortController(),{signal}=abort;
const watch=setTimeout(()=>abort.abort(),silenceMax);
try{
const response=await this.wire.fetch(...this.#bw(signal));
clearTimeout(watch);
const type=response.headers.get("Content-Type")??"";
if(!type.startsWith("text/event-stream"))throw new Error("This is no stream.");
await readEvents(response.body,(event)=>signal.aborted||this.#u(event));
}catch(error){
if(!signal.aborted)this.#bs(error);
}finally{
clearTimeout(watch);
}
if(signal.aborted)continue;
if(this.state==="live"||this.state==="connecting")this.#ae("offline");
await this.#d.pause();
}
}
#bs(error){
if(!(error instanceof Refused))return this.#ae("offline");
this.#d.wanted=error.retryAfter;
if(error.status===404)for(const list of this.lists.keys())this.#j(list,"gone",{list},"");
else if(!error.mayPass&&error.status!==401)console.error(error.message);
this.#ae(error.status===401?"unauthorized":error.mayPass?"offline":"refused");
}
#bw(signal){
const options={signal,headers:{Accept:"text/event-stream"}};
const lists=[...this.lists];
if(this.view.includes("around=")){
const[[list,since]]=lists;
return[pathOf(list,"changes")+this.view+(since&&"&since="+since),options];
}
const query=lists.map(([list,since])=>"list="+list+(since&&"@"+since)).join("&");
return[`/v1/changes${this.view || "?"}${this.view && "&"}${query}`,options];
}
#u({event,id,data}){
const value=data===undefined?{}:JSON.parse(data);
if(event==="bye"){
this.#d.wanted=(value.retryAfter??0)*1000;
if(value.code==="unauthenticated")this.wire.secret=null;
return;
}
this.#d.reset();
this.#ae("live");
const list=value.list??[...this.lists.keys()][0];
if(event==="gone")this.#j(list,event,value,"");
else if(event)this.#j(list,event,value,value.to);
else if(id)for(const part of id.split(",")){
const[version,name=list]=part.split("@").reverse();
this.#j(name,"id",null,version);
}
}
#j(list,name,data,to){
if(!this.lists.has(list))return;
const since=this.lists.get(list);
if(name==="id"&&since===to)return;
this.lists.set(list,to);
this.onEvent({list,name,data,since,to});
}
#ae(state){
if(this.state===state)return;
this.state=state;
this.onState(state);
}
}
const recentMax=64;
const listsMax=100,bytesMax=5_000;
class Feeds{
#m=new Map();
#i=new Map();
#as=new Map();
#l=null;
#y=true;
#g=()=>{};
constructor(wire,name,onLeader){
this.wire=wire;
if(name===null)return;
this.#y=false;
this.#l=new BroadcastChannel(name);
this.#l.onmessage=({data})=>this.#bq(data);
navigator.locks.request(name,()=>new Promise((resolve)=>{
this.#g=resolve;
this.#y=true;
this.#l.postMessage({kind:"leader"});
this.#bn();
onLeader();
})).catch(()=>{});
}
follow(taker){
const key=`${taker.view} ${taker.list}`;
if(!this.#i.has(key))this.#i.set(key,new Set());
this.#i.get(key).add(taker);
this.#bm(taker);
return()=>{
this.#i.get(key).delete(taker);
if(this.#i.get(key).size>0)return;
this.#i.delete(key);
if(this.#l)return;
const feeds=this.#m.get(taker.view)??[];
for(const feed of feeds)feed.drop(taker.list);
this.#m.set(taker.view,feeds.filter(({lists})=>lists.size>0));
};
}
wake(){
for(const feed of[...this.#m.values()].flat())if(feed.state!=="live")feed.connect();
}
close(){
for(const feed of[...this.#m.values()].flat())feed.close();
this.#l?.close();
this.#g();
}
#bn(){
for(const takers of this.#i.values())for(const taker of takers)this.#bm(taker);
}
#bm({view,list,version}){
if(this.#y)this.#az(view,list,version);
else this.#l.postMessage({kind:"want",view,list,version});
}
#az(view,list,version){
const feed=this.#bp(view,list);
this.#t({kind:"state",view,state:feed.state});
if(!feed.lists.has(list))return feed.follow(list,version);
const recent=this.#as.get(`${view} ${list}`)??[];
const at=version?recent.findIndex(({since})=>since===version):-1;
if(at<0)this.#t({kind:"event",view,list,name:"have",to:feed.lists.get(list)},true);
else for(const event of recent.slice(at))this.#t(event,true);
}
#bp(view,list){
const feeds=this.#m.get(view)??[];
this.#m.set(view,feeds);
const hasRoom=({lists})=>lists.size<(view.includes("around=")?1:listsMax)&&
[...lists.keys()].join("").length+40*lists.size<bytesMax;
const found=feeds.find(({lists})=>lists.has(list))??feeds.find(hasRoom);
if(found)return found;
const feed=new Feed(this.wire,view,(event)=>this.#t({kind:"event",view,...event}),
(state)=>this.#t({kind:"state",view,state}));
feeds.push(feed);
return feed;
}
#t(message,isOld=false){
if(message.kind==="event"&&!isOld){
const key=`${message.view} ${message.list}`;
const recent=this.#as.get(key)??[];
recent.push(message);
if(recent.length>recentMax)recent.shift();
this.#as.set(key,message.name==="change"||message.name==="id"?recent:[]);
}
this.#l?.postMessage(message);
this.#ax(message);
}
#bq(message){
if(message.kind==="leader")this.#bn();
else if(message.kind==="want")this.#y&&this.#az(message.view,message.list,message.version);
else this.#ax(message);
}
#ax(message){
for(const takers of[...this.#i.values()]){
for(const taker of[...takers]){
if(taker.view!==message.view)continue;
if(message.kind==="state")taker.onState(message.state);
else if(taker.list===message.list)taker.take(message);
}
}
}
}
const sending={
path:({list,undo})=>pathOf(list,undo?"undo":"transactions"),
body:({operations,undo,base,label})=>(undo?{transaction:undo,label}:{operations,base,label}),
without:({base},{problem})=>(base&&problem.code==="unknown_base"?{base:undefined}:null),
};
function outcomeOf({version,operations=[],warnings}){
const isAsAsked=operations.every(({status})=>status==="applied");
return{status:isAsAsked?"applied":"adjusted",version,operations,warnings};
}
class Queue{
entries=[];
trouble="";
#ac;
#ar=0;
#an=false;
#c=false;
#d=new Patience();
#at=new Map();
#bj=new Map();
constructor(wire,store,tab,options){
Object.assign(this,{wire,store,tab,options});
this.#ac=this.#bb((entry)=>!tab||entry.tab===tab);
this.#ac.catch((error)=>console.error("Edits of before cannot be read.",error));
}
async adopt(isLeft){
await this.#bb(isLeft);
this.#r();
}
async #bb(isWanted){
const known=new Set(this.entries.map(({key})=>key));
const found=(await this.store.all()).filter((entry)=>isWanted(entry)&&!known.has(entry.key));
found.sort((a,b)=>a.order-b.order);
this.#ar=found.reduce((most,{order})=>Math.max(most,order),this.#ar);
const fresh=this.entries.filter(({isStored})=>!isStored);
this.entries=[...this.entries.filter(({isStored})=>isStored),...found,...fresh];
for(const entry of found){
entry.isStored=true;
if(entry.tab!==this.tab)await this.#z(Object.assign(entry,{tab:this.tab}));
this.options.onAdopted(entry);
}
if(found.length>0)this.#r();
}
add(entry){
this.entries.push(entry);
const settled=new Promise((resolve)=>this.#at.set(entry.key,resolve));
entry.kept=this.#ac.catch(()=>{}).then(()=>{
entry.order=this.#ar+=1;
entry.tab=this.tab;
return this.#z(entry);
}).catch((error)=>console.error("An edit cannot be kept, and is lost if the page ends.",error))
.then(()=>(entry.isStored=true));
this.#r();
return settled;
}
wake(){
this.#d.wake();
}
close(){
this.#c=true;
this.#d.wake();
}
#z({key,list,operations,undo,of,label,base,order,tab,isSent}){
return this.store.put({key,list,operations,undo,of,label,base,order,tab,isSent});
}
async #r(){
if(this.#an)return;
this.#an=true;
await this.#ac.catch(()=>{});
while(this.entries.length>0&&!this.#c){
const entry=this.entries[0];
await entry.kept;
try{
await this.#ad(entry);
this.#d.reset();
this.#bf("");
}catch(error){
if(this.#c)break;
this.#bf(error.status===401?"unauthorized":"offline");
this.#d.wanted=error.retryAfter??0;
await this.#d.pause();
}
}
this.#an=false;
}
async #ad(entry){
if(!entry.isSent){
if(entry.of)entry.undo=this.#bj.get(entry.of);
if(entry.of&&!entry.undo)return this.#g(entry,{status:"refused",problem:{code:"nothing_to_undo"}});
entry.isSent=true;
await this.#z(entry).catch(()=>{});
}
try{
const answer=await this.wire.ask("POST",sending.path(entry),{body:sending.body(entry),key:entry.key});
if(this.#c)return;
this.#bj.set(entry.key,answer.version);
await this.#g(entry,outcomeOf(answer));
}catch(error){
if(!(error instanceof Refused)||error.mayPass||error.status===401)throw error;
const other=sending.without(entry,error);
if(!other)return this.#g(entry,{status:"refused",problem:error.problem});
Object.assign(entry,other);
await this.#z(entry).catch(()=>{});
}
}
async #g(entry,outcome){
this.entries=this.entries.filter((other)=>other!==entry);
this.options.onSettled(entry,outcome);
await this.store.remove(entry.key).catch(()=>{});
this.#at.get(entry.key)?.(outcome);
this.#at.delete(entry.key);
}
#bf(trouble){
if(this.trouble===trouble)return;
this.trouble=trouble;
this.options.onTrouble();
}
}
function openStore(kind,name){
if(kind==="indexeddb")return databaseStore(name);
if(kind?.folder)return folderStore(kind.folder);
if(kind?.all)return kind;
const entries=new Map();
return{
all:async()=>[...entries.values()],
put:async(entry)=>void entries.set(entry.key,entry),
remove:async(key)=>void entries.delete(key),
};
}
function databaseStore(name){
const answer=(request)=>new Promise((resolve,reject)=>{
request.onsuccess=()=>resolve(request.result);
request.onerror=()=>reject(request.error);
});
const opening=indexedDB.open(`liststate ${name}`,1);
opening.onupgradeneeded=()=>opening.result.createObjectStore("edits",{keyPath:"key"});
const opened=answer(opening);
const inStore=async(mode,work)=>{
const transaction=(await opened).transaction("edits",mode,{durability:"strict"});
const result=await answer(work(transaction.objectStore("edits")));
if(mode==="readwrite")await new Promise((resolve,reject)=>{
transaction.oncomplete=resolve;
transaction.onabort=()=>reject(transaction.error);
});
return result;
};
return{
all:()=>inStore("readonly",(edits)=>edits.getAll()),
put:(entry)=>inStore("readwrite",(edits)=>edits.put(entry)),
remove:(key)=>inStore("readwrite",(edits)=>edits.delete(key)),
};
}
function folderStore(folder){
const opened=import("node:fs/promises").then(async(fs)=>{
await fs.mkdir(folder,{recursive:true});
return fs;
});
return{
async all(){
const fs=await opened;
const names=(await fs.readdir(folder)).filter((name)=>name.endsWith(".json"));
return Promise.all(names.map(async(name)=>JSON.parse(await fs.readFile(`${folder}/${name}`,"utf8"))));
},
async put(entry){
const fs=await opened,path=`${folder}/${entry.key}.json`;
const file=await fs.open(`${path}.new`,"w");
await file.writeFile(JSON.stringify(entry));
await file.sync();
await file.close();
await fs.rename(`${path}.new`,path);
},
remove:async(key)=>(await opened).rm(`${folder}/${key}.json`,{force:true}),
};
}
class List{
#e;
#ab;
#ah;
#b;
#bg;
#c=false;
#a="";
#aw={sections:0,items:0,visibleItems:0};
#ak="connecting";
#am=false;
#f=[];
#aa=new Set();
#h=new Map();
#s=null;
#q=false;
#bk=[];
#x=[];
constructor(client,id,{view="visible",...options}){
const isWhole=Object.keys(options).every((name)=>name==="section"||options[name]===undefined);
this.id=id;
this.#e=client;
const expanded=options.expanded?.length===0?"":options.expanded;
this.#ab={view,...options,expanded};
this.#ah=queryOf({...this.#ab,view:isWhole?undefined:view});
this.#b=new Forest(isWhole,view==="items");
for(const entry of client.queue.entries)if(entry.list===id)this.show(entry);
const list=this;
this.#bg=client.feeds.follow({
list:id,view:this.#ah,take:(event)=>this.#u(event),onState:(state)=>this.#bu(state),
get version(){return list.#a;},
});
}
subscribe=(listener)=>{
this.#aa.add(listener);
return()=>this.#aa.delete(listener);
};
getSnapshot=()=>{
this.#s??={
id:this.id,...this.#b.properties,version:this.#a,counts:this.#bo(),
sections:this.#b.sections.map((section)=>this.#b.shownSection(section)),
status:this.status,pending:this.#bx,
};
return this.#s;
};
get status(){
if(this.#c)return "closed";
return this.#am?"gone":this.#e.queue.trouble||this.#ak;
}
row(id){
const row=this.#b.rows.get(id);
return row&&this.#b.shown(row);
}
subscribeRow(id,listener){
if(!this.#h.has(id))this.#h.set(id,new Set());
this.#h.get(id).add(listener);
return()=>{
const listeners=this.#h.get(id);
listeners?.delete(listener);
if(listeners?.size===0)this.#h.delete(id);
};
}
async history({limit}={}){
return(await this.#e.wire.ask("GET",pathOf(this.id,"transactions")+queryOf({limit}))).transactions;
}
at(version){
return this.#e.wire.ask("GET",pathOf(this.id)+queryOf({...this.#ab,at:version}));
}
close(){
this.#bg();
this.#c=true;
this.#s={...this.getSnapshot(),status:"closed"};
this.#e.lists.delete(this);
this.#aa.clear();
this.#h.clear();
}
edit(make,{label}={}){
const edits=new Edits(this);
make(edits);
if(edits.operations.length===0)return{settled:Promise.resolve({status:"applied",operations:[]})};
return this.#ad({operations:edits.operations,label,base:this.#a||undefined});
}
undo(version){
const of=version?undefined:this.#x.pop();
if(version||of)return this.#ad({operations:[],undo:version,of,label:"Undo"});
return{settled:Promise.resolve({status:"refused",problem:{code:"nothing_to_undo"}})};
}
#ad(members){
const entry={key:makeKey(),list:this.id,...members};
if(entry.operations.length>0)this.#x.push(entry.key);
const settled=this.#e.queue.add(entry);
for(const list of this.#e.listsOf(this.id))list.show(entry);
return{settled};
}
placesOf(ids){
const{rows,sections}=this.#b;
const placed=ids.map((id)=>rows.get(id)).filter((row)=>row?.chunk).map(({id,section,chunk})=>({
id,place:[sections.indexOf(section),section.chunks.indexOf(chunk),chunk.rows.indexOf(rows.get(id))],
}));
placed.sort(({place:a},{place:b})=>a[0]-b[0]||a[1]-b[1]||a[2]-b[2]);
const ranks=new Map(placed.map(({id},rank)=>[id,rank]));
return ids.map((id)=>ranks.get(id)??-1);
}
firstIn({section,parent}){
if(parent!==undefined)return this.#b.subtree(this.#b.rows.get(parent)??{})[1]?.id;
return sectionOf(this.#b,section)?.chunks[0]?.rows[0]?.id;
}
show(entry){
if(this.#f.some((edit)=>edit.entry===entry))return;
this.#b.begin();
const log=[];
perform(this.#b,entry.operations,log);
this.#f.push({entry,log});
this.#j();
}
adopt(entry){
const{entries}=this.#e.queue;
this.#w(()=>{
this.#f.push({entry,log:[]});
this.#f.sort((a,b)=>entries.indexOf(a.entry)-entries.indexOf(b.entry));
});
}
settle(entry,{status,version}){
const edit=this.#f.find((other)=>other.entry===entry);
if(status==="refused")this.#x=this.#x.filter((key)=>key!==entry.key);
if(!edit)return;
edit.version=status==="refused"?"":version;
if(status==="refused"||isKnown(version,this.#a))this.#w(()=>{});
else this.#bh();
}
#w(work){
const forest=this.#b;
forest.begin();
for(const{log}of[...this.#f].reverse())forest.rewind(log);
forest.settle();
const before=this.#a;
work();
const isElsewhere=this.#a===""||before!==""&&partsOf(before)[0]!==partsOf(this.#a)[0];
this.#f=this.#f.filter(({version})=>
version===undefined||version!==""&&!isElsewhere&&!isKnown(version,this.#a));
for(const edit of this.#f){
edit.log=[];
const{entry}=edit;
const isClean=perform(forest,entry.operations,edit.log);
if(isClean&&forest.isWhole&&!entry.isSent&&this.#a)entry.base=this.#a;
}
this.#j(before);
}
#j(from=this.#a){
const{changes,ids}=difference(this.#b);
this.#s=null;
const{version,counts,status,pending}=this.getSnapshot();
const told={list:this.id,from,to:version,...changes,counts,status,pending};
for(const listener of[...this.#aa])listener(told);
if(this.#h.size===0)return;
for(const id of ids)for(const listener of[...(this.#h.get(id)??[])])listener();
}
get #bx(){
return this.#f.reduce((count,{version})=>count+(version===undefined?1:0),0);
}
#bo(){
const{isWhole,showsHidden,sections,rows}=this.#b;
if(!isWhole||showsHidden||this.#ab.section!==undefined)return this.#aw;
const visibleItems=sections.flatMap(({chunks})=>chunks).reduce((sum,{count})=>sum+count,0);
return{sections:sections.length,items:rows.size,visibleItems};
}
#u(event){
if(this.#c)return;
if(this.#q)return void this.#bk.push(event);
const{name,data,since,to}=event;
if(name==="gone")return this.#bc();
if(name==="reset")return this.#a&&isKnown(to,this.#a)?undefined:this.#bt(data);
if(to===""||isKnown(to,this.#a))return;
const isBetween=isKnown(since,this.#a)&&(!data||isKnown(this.#a,data.from));
const follows=since===this.#a||isBetween;
if(name==="have"||!follows||!this.#a)this.#av();
else if(name==="id")this.#ai(()=>{},to);
else this.#ai(()=>applyChanges(this.#b,data),to,data.counts);
}
#bt({snapshot,to}){
this.#am=false;
this.#ai(()=>replaceAll(this.#b,snapshot),to,snapshot.counts);
}
#ai(work,to,counts){
let isLost=false;
this.#w(()=>{
try{
work();
this.#a=to;
if(counts)this.#aw=counts;
}catch(error){
if(!(error instanceof Mismatch))throw error;
console.error(`${this.id}: ${error.message}`);
this.#a="";
isLost=true;
}
});
if(isLost)this.#av();
}
#bc(){
this.#am=true;
this.#w(()=>{
this.#a="";
replaceAll(this.#b,{});
});
}
async #av(){
this.#q=true;
const patience=new Patience();
while(!this.#c){
try{
const since=this.#a&&`${this.#ah ? "&" : "?"}since=${this.#a}`;
const path=pathOf(this.id,"changes")+this.#ah+since;
const data=await this.#e.wire.ask("GET",path);
this.#q=false;
this.#u({name:data.reset?"reset":"change",data,since:data.from,to:data.to});
break;
}catch(error){
if(error.status===404){
this.#q=false;
this.#bc();
break;
}
await patience.pause();
}
}
this.#q=false;
for(const event of this.#bk.splice(0))this.#u(event);
}
#bu(state){
if(this.#ak===state)return;
this.#ak=state;
if(state==="live")this.#e.queue.wake();
this.noteStatus();
}
noteStatus(){
if(this.#s?.status!==this.status)this.#bh();
}
#bh(){
this.#b.begin();
this.#j();
}
}
class Client{
lists=new Set();
#af="";
#g=()=>{};
#bi=0;
#bd=()=>{
this.feeds.wake();
this.queue.wake();
};
constructor({url="",token,store="memory",name="default"}){
const place=`liststate ${url} ${name}`;
const isShared=store==="indexeddb"&&Boolean(globalThis.navigator?.locks&&globalThis.BroadcastChannel);
this.wire=new Wire(url,token);
if(isShared){
this.#af=makeKey();
const held=()=>new Promise((resolve)=>(this.#g=resolve));
navigator.locks.request(`${place} ${this.#af}`,held).catch(()=>{});
}
this.queue=new Queue(this.wire,openStore(store,`${url} ${name}`),this.#af,{
onAdopted:(entry)=>this.listsOf(entry.list).forEach((list)=>list.adopt(entry)),
onSettled:(entry,outcome)=>this.listsOf(entry.list).forEach((list)=>list.settle(entry,outcome)),
onTrouble:()=>this.lists.forEach((list)=>list.noteStatus()),
});
this.feeds=new Feeds(this.wire,isShared?place:null,()=>this.#au(place));
globalThis.addEventListener?.("online",this.#bd);
}
list(id,options={}){
const list=new List(this,id,options);
this.lists.add(list);
return list;
}
listsOf(id){
return[...this.lists].filter((list)=>list.id===id);
}
close(){
for(const list of[...this.lists])list.close();
clearTimeout(this.#bi);
globalThis.removeEventListener?.("online",this.#bd);
this.queue.close();
this.feeds.close();
this.#g();
}
async #au(place){
const tabs=new Set((await this.queue.store.all()).map(({tab})=>tab??""));
tabs.delete(this.#af);
for(const tab of tabs){
await navigator.locks.request(`${place} ${tab}`,{ifAvailable:true},
(lock)=>lock&&this.queue.adopt((entry)=>(entry.tab??"")===tab));
}
this.#bi=setTimeout(()=>this.#au(place).catch(()=>{}),silenceMax);
}
}
export function connect(options){
return new Client(options);
}
