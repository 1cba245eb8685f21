#!/bin/sh
# build.sh CHECKOUT BUILD: compiles TagSpeed with TAG for benchmarks/tag_ratio.py.
#
# CHECKOUT is a clone of github.com/GAIGResearch/TabletopGames, BUILD a folder to be made.
# Needed: a JDK of 17 or later, and the jars of json-simple, commons-math, commons-math3
# and commons-lang3 in the folder JARS (on Debian the packages lib...-java).
set -e
checkout=$1 build=$2 here=$(cd "$(dirname "$0")" && pwd)
jars=${JARS:-/usr/share/java}
revision=c4d7687
path=$jars/json-simple.jar:$jars/commons-math.jar:$jars/commons-math3.jar
path=$path:$jars/commons-lang3.jar
mkdir -p "$build/source" "$build/classes"
git -C "$checkout" archive $revision src/main/java |
  tar x -C "$build/source" --strip-components=3
cd "$build/source"
find games -type d -name gui -prune -exec rm -rf {} +
rm -rf gui
# Imports that nothing uses, and calls outside of the search that only Java 21 knows.
sed -i '/hadoop.yarn/d' utilities/JSONUtils.java
sed -i '/com.sun.xml.bind/d' players/mcts/OMATreeNode.java
sed -i 's/history\.reversed()\.stream()/history.stream()/
        s/actions\.getFirst()/actions.get(0)/' players/mcts/MCTSPlayer.java
# `stub` stands in for what a search never touches.
javac -proc:none -sourcepath "$here/stub:." -cp "$path" -d ../classes "$here/TagSpeed.java"
echo "built: --tag $build --jars $path"
